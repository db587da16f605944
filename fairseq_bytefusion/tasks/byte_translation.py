"""``--task byte_translation``: from raw text to raw text."""

import logging
import os
from dataclasses import dataclass, field

import numpy as np
import torch
from fairseq import utils
from fairseq.modules import LearnedPositionalEmbedding
from fairseq.sequence_scorer import SequenceScorer
from fairseq.tasks import register_task
from fairseq.tasks.translation import TranslationConfig, TranslationTask

from .. import compat
from ..data import ParallelDataset, infer_language_pair, load_parallel
from ..generation import utf8_generator_class
from ..text import ByteDictionary
from ..text.word_list import read_word_list
from .composer_transfer import start_from_approximation
from .validation import LoggedValidation

logger = logging.getLogger(__name__)

# A translation may be this many times its source's bytes, plus this many, long:
# the same sentence takes three times the bytes in Burmese that it takes in English.
MAX_LEN_A, MAX_LEN_B = 3.0, 200


@dataclass
class ByteTranslationConfig(TranslationConfig):
    """fairseq's translation options, with defaults fit for bytes."""

    left_pad_source: bool = field(
        default=False, metadata={"help": "pad the source on the left"}
    )
    max_source_positions: int = field(
        default=2048, metadata={"help": "longest source in bytes, end of sentence included"}
    )
    max_target_positions: int = field(
        default=2048, metadata={"help": "longest target in bytes, end of sentence included"}
    )
    allow_invalid_utf8: bool = field(
        default=False,
        metadata={
            "help": "search over all byte sequences, as fairseq does; by default only "
            "valid UTF-8 without newlines can come out"
        },
    )


@register_task("byte_translation", dataclass=ByteTranslationConfig)
class ByteTranslationTask(LoggedValidation, TranslationTask):
    """Translation between raw-text files, read and written as UTF-8 bytes.

    ``DATA`` holds ``train.de-en.de``, ``train.de-en.en``, likewise ``valid`` and
    ``test``: one sentence a line. Training drops pairs that are empty or too long
    and says how many; every other split keeps every line, an over-long source cut
    to ``--max-source-positions``.
    """

    NAME = "byte_translation"

    def __init__(self, cfg, src_dict, tgt_dict):
        super().__init__(cfg, src_dict, tgt_dict)
        #: side -> longest sequence of a model that has learned positions on that side
        self.learned_positions = {}

    @classmethod
    def add_args(cls, parser):
        super().add_args(parser)
        # fairseq's limit of 200 ids would cut translations short. In training too: what
        # loads a checkpoint for inference may go by the limits that are saved with it.
        parser.set_defaults(max_len_a=MAX_LEN_A, max_len_b=MAX_LEN_B)

    @classmethod
    def setup_task(cls, cfg, **kwargs):
        """Set up the task; what is not given of the language pair is inferred.

        Raises:
            FileNotFoundError, ValueError: see ``data.infer_language_pair``.
            ValueError: an option that byte_translation does not have.
        """
        compat.utf8_standard_streams()
        if cfg.load_alignments:
            raise ValueError(
                "--load-alignments reads binarised files, which byte_translation "
                "does not have: drop that flag"
            )
        if cfg.source_lang is None or cfg.target_lang is None:
            data_dir = utils.split_paths(cfg.data)[0]
            cfg.source_lang, cfg.target_lang = infer_language_pair(
                data_dir, cfg.source_lang, cfg.target_lang
            )
        return cls(cfg, ByteDictionary(), ByteDictionary())

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; learned positions bound what can be encoded and scored.

        Raises:
            OSError, RuntimeError, ValueError: see
                :func:`~.composer_transfer.start_from_approximation`.
        """
        model = super().build_model(cfg, from_checkpoint)
        if getattr(cfg, "char2subword_from", None) and not from_checkpoint:
            start_from_approximation(model, cfg, self)
        for side in ("encoder", "decoder"):
            positions = getattr(getattr(model, side, None), "embed_positions", None)
            if isinstance(positions, LearnedPositionalEmbedding):
                limit = self.learned_positions.get(side, positions.max_positions)
                self.learned_positions[side] = min(limit, positions.max_positions)
        return model

    def source_words(self):
        """The known words of a mixture: those of ``DATA/dict.word.<source>.txt``.

        Returns:
            list of bytes

        Raises:
            FileNotFoundError: no such file.
            ValueError: see :func:`~..text.word_list.read_word_list`.
        """
        data_dir = utils.split_paths(self.cfg.data)[0]
        path = os.path.join(data_dir, f"dict.word.{self.cfg.source_lang}.txt")
        if not os.path.exists(path):
            raise FileNotFoundError(
                f"no such file: {path}, the words that --encoder-embedder mixture knows: "
                "write it with data_prep/build_word_dict.py, or copy that of training"
            )
        return read_word_list(path)

    @classmethod
    def build_dictionary(cls, *args, **kwargs):
        """Refuse: there is nothing to build (``fairseq-preprocess`` asks for it)."""
        raise ValueError(
            "byte_translation reads raw text: give fairseq-train the text directory, "
            "without fairseq-preprocess"
        )

    def load_dataset(self, split, epoch=1, combine=False, **kwargs):
        """Load a split of the raw-text directory (shards: colon-separated).

        Raises:
            FileNotFoundError, ValueError: see ``data.load_parallel``.
        """
        cfg = self.cfg
        # Only what runs a trained model passes on the config it was trained with.
        is_train = split == cfg.train_subset and "task_cfg" not in kwargs
        paths = utils.split_paths(cfg.data)
        if not is_train:
            paths = paths[:1]  # valid and test data are in the first shard
        source_limit = target_limit = None
        if cfg.truncate_source or not is_train:
            source_limit = self._source_limit()
        if not is_train:
            target_limit = self.learned_positions.get("decoder")
        self.datasets[split] = load_parallel(
            paths[(epoch - 1) % len(paths)],
            split,
            cfg.source_lang,
            self.src_dict,
            cfg.target_lang,
            self.tgt_dict,
            combine=combine,
            upsample_primary=max(1, cfg.upsample_primary),
            target_required=is_train or split.startswith("valid"),
            source_limit=source_limit,
            target_limit=target_limit,
            left_pad_source=cfg.left_pad_source,
            left_pad_target=cfg.left_pad_target,
            shuffle=is_train,
            num_buckets=cfg.num_batch_buckets,
            pad_to_multiple=cfg.required_seq_len_multiple,
        )

    def _source_limit(self):
        limit = self.cfg.max_source_positions
        return min(limit, self.learned_positions.get("encoder", limit))

    def build_dataset_for_inference(self, src_tokens, src_lengths, constraints=None):
        """A dataset of sources alone, for ``fairseq-interactive``."""
        return ParallelDataset(
            src_tokens,
            src_lengths,
            self.source_dictionary,
            tgt_dict=self.target_dictionary,
            left_pad_source=self.cfg.left_pad_source,
            constraints=constraints,
        )

    def get_interactive_tokens_and_lengths(self, lines, encode_fn):
        """Ids and lengths of ``lines``; an over-long line is cut, with a warning."""
        limit = self._source_limit()
        tokens = []
        for line in lines:
            ids = self.source_dictionary.encode_line(encode_fn(line)).long()
            if len(ids) > limit:
                logger.warning(
                    "a line of %d bytes is cut to %d (--max-source-positions)",
                    len(ids) - 1,
                    limit - 1,
                )
                ids = self.source_dictionary.truncate(ids, limit)
            tokens.append(ids)
        return tokens, [len(ids) for ids in tokens]

    def get_batch_iterator(self, dataset, max_tokens=None, seed=1, **kwargs):
        """As in fairseq, but a pair longer than ``--max-tokens`` is no error.

        In training it is dropped and counted, elsewhere a batch of its own.
        """
        dataset.max_batch_tokens, dataset.order_seed = max_tokens, seed
        return super().get_batch_iterator(
            dataset, max_tokens=max_tokens, seed=seed, **kwargs
        )

    def filter_indices_by_size(
        self, indices, dataset, max_positions=None, ignore_invalid_inputs=False
    ):
        """Drop empty and over-long pairs, and say how many of each.

        Args:
            indices (int64[N])
            dataset (ParallelDataset)
            max_positions (tuple): longest source and target, in ids.
            ignore_invalid_inputs (bool): as fairseq has it when training, and under
                ``--skip-invalid-size-inputs-valid-test``; otherwise none is dropped.

        Returns:
            int64[N']

        Raises:
            ValueError: no pair is left.
        """
        if not ignore_invalid_inputs:
            return indices
        limits = [min(limit, dataset.max_batch_tokens or limit) for limit in max_positions]
        reasons = {
            "an empty side": dataset.empty(indices),
            f"a source over {limits[0] - 1} bytes": dataset.src_lengths[indices]
            > limits[0],
        }
        if dataset.tgt_lengths is not None:
            too_long = dataset.tgt_lengths[indices] > limits[1]
            reasons[f"a target over {limits[1] - 1} bytes"] = too_long
        dropped = np.zeros(len(indices), dtype=bool)
        for reason, hit in reasons.items():
            count = int((hit & ~dropped).sum())
            dropped |= hit
            if count:
                logger.warning("%d of %d pairs dropped: %s", count, len(indices), reason)
        if dropped.all():
            raise ValueError(
                f"no pair is left in {self.cfg.data}: see the counts above, "
                "--max-source-positions, --max-target-positions and --max-tokens"
            )
        return indices[~dropped]

    def build_generator(
        self, models, args, seq_gen_cls=None, extra_gen_cls_kwargs=None, **kwargs
    ):
        """As in fairseq, but for valid UTF-8, and with length limits fit for bytes.

        Raises:
            ValueError: a generation option that cannot be kept to valid UTF-8;
                ``--print-alignment`` for a model whose encoder sees words.
        """
        composed = any(getattr(model, "composes_words", False) for model in models)
        if composed and getattr(args, "print_alignment", None):
            raise ValueError(
                "--print-alignment shows source symbols, and the encoder of this model "
                "sees words: drop that flag"
            )
        for name, value in (("max_len_a", MAX_LEN_A), ("max_len_b", MAX_LEN_B)):
            if not hasattr(args, name):  # --eval-bleu-args names a few only
                setattr(args, name, value)
        for flag in ("prefix_size", "score_reference"):
            if getattr(args, flag, 0):
                self.require_references(f"--{flag.replace('_', '-')}")
        if seq_gen_cls is None and not self.cfg.allow_invalid_utf8:
            seq_gen_cls, extra = utf8_generator_class(args)
            extra_gen_cls_kwargs = {**extra, **(extra_gen_cls_kwargs or {})}
        return super().build_generator(
            models, args, seq_gen_cls, extra_gen_cls_kwargs, **kwargs
        )

    def require_references(self, what):
        """Raise ValueError where a loaded split has no references, which ``what`` needs."""
        for dataset in self.datasets.values():
            if dataset.tgt is None:
                raise ValueError(
                    f"{what} needs references, and {dataset.src.path} has none beside it"
                )

    def inference_step(
        self, generator, models, sample, prefix_tokens=None, constraints=None
    ):
        """Translate a batch; the translation of an empty line is empty."""
        hypotheses = super().inference_step(
            generator, models, sample, prefix_tokens, constraints
        )
        if isinstance(generator, SequenceScorer):  # it scores what it was given
            return hypotheses
        src_tokens = sample["net_input"]["src_tokens"]
        lengths = src_tokens.ne(self.source_dictionary.pad()).sum(1)
        for row in (lengths <= 1).nonzero().flatten().tolist():
            hypotheses[row] = [self._empty_hypothesis(src_tokens.device)]
        return hypotheses

    def _empty_hypothesis(self, device):
        return {
            "tokens": torch.tensor([self.target_dictionary.eos()], device=device),
            "score": torch.tensor(0.0, device=device),
            "attention": torch.empty(0),
            "alignment": torch.empty(0),
            "positional_scores": torch.zeros(1, device=device),
        }
