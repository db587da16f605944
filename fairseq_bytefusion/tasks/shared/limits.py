"""How long sentences may be, and what becomes of longer ones."""

import functools
import logging

import numpy as np
from fairseq.modules import LearnedPositionalEmbedding

from ...data.batches import PackedBatchIterator
from ...text import UNITS

logger = logging.getLogger(__name__)

# A translation may be this many times its source's symbols, plus this many, long:
# the same sentence takes three times the bytes in Burmese that it takes in English.
MAX_LEN_A, MAX_LEN_B = 3.0, 200


class LengthLimits:
    """For a translation task: training drops what is too long and says so."""

    #: side -> longest sequence of a model that has learned positions on that side
    learned_positions = {}

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; learned positions bound what can be encoded and scored."""
        model = super().build_model(cfg, from_checkpoint)
        for side in ("encoder", "decoder"):
            positions = getattr(getattr(model, side, None), "embed_positions", None)
            if isinstance(positions, LearnedPositionalEmbedding):
                limit = self.learned_positions.get(side, positions.max_positions)
                limit = min(limit, positions.max_positions)
                self.learned_positions = {**self.learned_positions, side: limit}
        return model

    @property
    def num_source_specials(self):
        """int: ids of a source that are not text: ``</s>`` and, with tags, its tag."""
        return 1 + bool(self.source_dictionary.tags)

    def warn_of_short_limits(self, args):
        """Warn where the default length limits of generation may cut translations.

        Args:
            args (Namespace or GenerationConfig): fairseq's generation options.
        """
        order = list(UNITS)  # from the smallest symbols to the largest
        source, target = self.source_dictionary, self.target_dictionary
        is_default = (args.max_len_a, args.max_len_b) == (MAX_LEN_A, MAX_LEN_B)
        if is_default and order.index(source.unit) > order.index(target.unit):
            logger.warning(
                "translations over %g x source %s + %d %s are cut, and one of the former "
                "may be many of the latter: --max-len-a may have to be larger",
                MAX_LEN_A,
                source.plural,
                MAX_LEN_B,
                target.plural,
            )

    def source_limit(self):
        """int: the most ids of a source, ``</s>`` included."""
        limit = self.cfg.max_source_positions
        return min(limit, self.learned_positions.get("encoder", limit))

    def target_limit(self):
        """int: the most ids of a target, or None where any number can be scored."""
        return self.learned_positions.get("decoder")

    def get_batch_iterator(self, dataset, max_tokens=None, seed=1, **kwargs):
        """As in fairseq, but a pair longer than ``--max-tokens`` is no error.

        In training it is dropped and counted, elsewhere a batch of its own.
        """
        dataset.max_batch_tokens, dataset.order_seed = max_tokens, seed
        iterator = super().get_batch_iterator(
            dataset, max_tokens=max_tokens, seed=seed, **kwargs
        )
        # The same object: fairseq may have kept it, for other epochs.
        iterator.__class__ = PackedBatchIterator
        return iterator

    def filter_indices_by_size(
        self, indices, dataset, max_positions=None, ignore_invalid_inputs=False
    ):
        """Drop empty and over-long pairs, and say how many of each.

        Args:
            indices (int[N])
            dataset (ParallelDataset)
            max_positions (tuple): longest source and target, in ids.
            ignore_invalid_inputs (bool): as fairseq has it when training, and under
                ``--skip-invalid-size-inputs-valid-test``; otherwise none is dropped.

        Returns:
            int[N']

        Raises:
            ValueError: no pair is left.
        """
        if not ignore_invalid_inputs:
            return indices
        limits = [min(limit, dataset.max_batch_tokens or limit) for limit in max_positions]
        units = self.source_dictionary.plural, self.target_dictionary.plural
        longest = limits[0] - self.num_source_specials
        reasons = {  # of all pairs, in their own order: faster than in that of indices
            "an empty side": dataset.empty(slice(None)),
            f"a source over {longest} {units[0]}": dataset.src_lengths > limits[0],
        }
        if dataset.tgt_lengths is not None:
            too_long = dataset.tgt_lengths > limits[1]
            reasons[f"a target over {limits[1] - 1} {units[1]}"] = too_long
        dropped = functools.reduce(np.logical_or, reasons.values())[indices]
        rest = indices[dropped]
        for reason, every in reasons.items():
            hit = every[rest]
            if count := hit.sum():
                logger.warning("%d of %d pairs dropped: %s", count, len(indices), reason)
            rest = rest[~hit]
        if dropped.all():
            raise ValueError(
                f"no pair is left in {self.cfg.data}: see the counts above, "
                "--max-source-positions, --max-target-positions and --max-tokens"
            )
        return indices[~dropped]
