"""The options of one-hot decoders, and what one-hot needs on either side."""

from dataclasses import dataclass

from fairseq.dataclass import ChoiceEnum, FairseqDataclass

from ...modules.embedders.one_hot import OUTPUT_SCALES, OUTPUTS
from .groups import Owner, option


def _chosen(options):
    return {options.decoder_embedder}


def _complaint(given, names, options):
    return f"{given} does nothing without --decoder-embedder one-hot: add that or drop it"


_ONE_HOT = Owner(("one-hot",), _chosen, _complaint)


@dataclass
class OneHotOutputOptions(FairseqDataclass):
    """Of the output of a one-hot decoder."""

    one_hot_output: ChoiceEnum(list(OUTPUTS)) = option(
        "frozen",
        "one-hot decoder: logits are the first dimensions of a state (Shaham & Levy 2021), "
        "or products with a learned table (published code of Sreedhar et al. 2023)",
        _ONE_HOT,
    )
    one_hot_output_scale: ChoiceEnum(list(OUTPUT_SCALES)) = option(
        "one",
        "one-hot decoder, frozen output: what the learned scale of the logits starts at; "
        "sqrt-dim is that of Shaham & Levy's code",
        _ONE_HOT,
    )

    @staticmethod
    def check_group(options, dictionary):
        if options.one_hot_output == "learned" and options.one_hot_output_scale != "one":
            raise ValueError(
                f"--one-hot-output-scale {options.one_hot_output_scale} scales a frozen "
                "output, and --one-hot-output learned is a table of any scale: drop either"
            )


def check_one_hot(side, dim, dictionary):
    """Refuse a one-hot embedder whose states are too narrow.

    Args:
        side (str): ``encoder`` or ``decoder``.
        dim (int): D.
        dictionary (fairseq.data.Dictionary)

    Raises:
        ValueError: names the flag to change.
    """
    if dim < len(dictionary):
        raise ValueError(
            f"--{side}-embedder one-hot needs a dimension for each of the "
            f"{len(dictionary)} symbols: raise --{side}-embed-dim from {dim} to at least "
            f"{len(dictionary)}"
        )
