"""The options of the embedder ``elmo``."""

from dataclasses import dataclass
from typing import Optional

from fairseq.dataclass import FairseqDataclass

from .composers import composer_owner
from .groups import option

_ELMO = composer_owner(("elmo",))


@dataclass
class ElmoOptions(FairseqDataclass):
    """Of ``elmo``."""

    elmo_from: Optional[str] = option(
        None, "elmo: checkpoint of --task word_language_model to start from", _ELMO
    )
    elmo_finetune: bool = option(
        False, "elmo: let the language model learn too; it is kept as it is without", _ELMO
    )
    elmo_dropout: float = option(0.5, "elmo: dropout on the mixed layers", _ELMO)
    elmo_layer_norm: bool = option(
        False, "elmo: layer norm of each layer's states before they are mixed", _ELMO
    )

    @staticmethod
    def check_group(options, dictionary):
        if options.encoder_embedder == "elmo" and not options.elmo_from:
            raise ValueError(
                "--encoder-embedder elmo stands on a language model: give --elmo-from, a "
                "checkpoint of --task word_language_model"
            )
        if not 0 <= options.elmo_dropout < 1:
            raise ValueError(
                f"--elmo-dropout {options.elmo_dropout:g} must be at least 0 and below 1"
            )
