"""The options of encoders of Hugging Face."""

from dataclasses import dataclass
from typing import Optional

from fairseq.dataclass import ChoiceEnum, FairseqDataclass

from ...modules.embedders import COMPOSERS
from ...modules.pretrained import INPUTS
from .groups import Owner, option


def _complaint(given, names, options):
    return (
        f"{given} does nothing with --encoder-type {options.encoder_type}: drop it, or "
        "give --encoder-type pretrained"
    )


_PRETRAINED = Owner(("pretrained",), lambda options: {options.encoder_type}, _complaint)


@dataclass
class PretrainedOptions(FairseqDataclass):
    """Of ``--encoder-type pretrained``."""

    pretrained: Optional[str] = option(
        None,
        "a directory of Hugging Face: config.json, a tokenizer, model.safetensors; a "
        "finished model does not need it any more",
        _PRETRAINED,
    )
    pretrained_input: ChoiceEnum(list(INPUTS)) = option(
        "pieces",
        "pretrained: its own pieces, rows of its table; full: every word composed; hybrid: "
        "rows of words that are one piece, all others composed. The latter two with a word "
        "composer as --encoder-embedder",
        _PRETRAINED,
    )

    @staticmethod
    def check_group(options, dictionary):
        if options.encoder_type != "pretrained":
            return
        if not options.pretrained:
            raise ValueError(
                "--encoder-type pretrained needs --pretrained DIR, a directory of Hugging "
                "Face"
            )
        if getattr(dictionary, "unit", "byte") not in ("byte", None):
            raise ValueError(
                "--encoder-type pretrained reads words as bytes: drop --source-unit "
                f"{dictionary.unit}"
            )
        embedder, composes = options.encoder_embedder, options.pretrained_input != "pieces"
        if composes and embedder not in COMPOSERS:
            raise ValueError(
                f"--pretrained-input {options.pretrained_input} composes words: give "
                f"--encoder-embedder {' or '.join(COMPOSERS)} (now {embedder})"
            )
        if not composes and options.attention_dropout:
            raise ValueError(
                f"--attention-dropout {options.attention_dropout} does nothing with "
                "--pretrained-input pieces: drop it"
            )
        if not composes and embedder != "dense":
            raise ValueError(
                f"--encoder-embedder {embedder} does nothing with --pretrained-input "
                "pieces: drop it, or give --pretrained-input full or hybrid"
            )
