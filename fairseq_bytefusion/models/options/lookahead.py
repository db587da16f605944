"""The options of heads that look ahead."""

from dataclasses import dataclass

from fairseq.dataclass import FairseqDataclass

from .groups import option


@dataclass
class LookaheadOptions(FairseqDataclass):
    """How many symbols behind the next one a decoder foresees, for ``--draft heads``."""

    lookahead_heads: int = option(
        0,
        "heads that foresee the symbols behind the next one, for --draft heads; they need "
        "--criterion label_smoothed_cross_entropy_with_lookahead",
    )
    lookahead_only: bool = option(
        False,
        "train these heads alone and leave the model of --finetune-from-model as it is",
    )

    @staticmethod
    def check_group(options, dictionary):
        if options.lookahead_heads < 0:
            raise ValueError(
                f"--lookahead-heads {options.lookahead_heads} must not be below 0"
            )
        if options.lookahead_only and not options.lookahead_heads:
            raise ValueError(
                "--lookahead-only trains heads, and there are none: add --lookahead-heads 4"
            )
