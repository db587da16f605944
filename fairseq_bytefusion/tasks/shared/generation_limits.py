"""How long what is generated may become."""

import logging

from ...text import UNITS

logger = logging.getLogger(__name__)

# A translation may be this many times its source's symbols, plus this many, long:
# the same sentence takes three times the bytes in Burmese that it takes in English.
MAX_LEN_A, MAX_LEN_B = 3.0, 200


class GenerationLimits:
    """For a task that generates text: length limits fit for bytes."""

    @classmethod
    def add_args(cls, parser):
        super().add_args(parser)
        # fairseq's limit of 200 ids would cut translations short. In training too: what
        # loads a checkpoint for inference may go by the limits that are saved with it.
        parser.set_defaults(max_len_a=MAX_LEN_A, max_len_b=MAX_LEN_B)

    def build_generator(self, models, args, *rest, **kwargs):
        """As in fairseq; limits that are not given are those of this task."""
        for name, value in (("max_len_a", MAX_LEN_A), ("max_len_b", MAX_LEN_B)):
            if not hasattr(args, name):  # --eval-bleu-args names a few only
                setattr(args, name, value)
        if not getattr(args, "score_reference", False):  # which writes nothing
            _warn_of_short_limits(self.source_dictionary, self.target_dictionary, args)
        return super().build_generator(models, args, *rest, **kwargs)


def _warn_of_short_limits(source, target, args):
    """Warn where the default limits may cut what is generated.

    Args:
        source, target (TextDictionary)
        args (Namespace or GenerationConfig): fairseq's generation options.
    """
    order = list(UNITS)  # from the smallest symbols to the largest
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
