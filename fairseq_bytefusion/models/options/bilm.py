"""The options of language models over composed words."""

from dataclasses import dataclass

from fairseq.dataclass import ChoiceEnum

from ...modules.embedders import COMPOSERS
from ...modules.embedders.composers.char_cnn import PRESETS
from ...modules.language_model_encoder import DIRECTIONS
from .composer_model import ComposerModelOptions
from .composers import composer_owner
from .groups import check_positive, option


@dataclass
class BiLMConfig(ComposerModelOptions):
    """One flat field a flag; those of composers are those of encoders."""

    encoder_embedder: ChoiceEnum(list(COMPOSERS)) = option(
        "char-cnn", "how words are composed of their symbols"
    )
    encoder_embed_dim: int = option(512, "width of a composed word and of a state")
    lstm_layers: int = option(2, "LSTM layers of each direction")
    lstm_dim: int = option(
        4096,
        "width of a cell; if larger than --encoder-embed-dim, states are projected to that",
    )
    direction: ChoiceEnum(list(DIRECTIONS)) = option(
        "both", "read sentences in both directions, or (Kim et al. 2015) forward alone"
    )
    char_cnn_filters: str = option(
        "elmo",
        f"char-cnn: {', '.join(PRESETS)} or width:number,width:number...",
        composer_owner(("char-cnn",)),
    )

    @staticmethod
    def check_group(options, dictionary):
        if options.encoder_embedder not in COMPOSERS:
            raise ValueError(
                f"--encoder-embedder {options.encoder_embedder} composes no words: a "
                f"language model needs one of {', '.join(COMPOSERS)}"
            )
        check_positive(options, ("encoder_embed_dim", "lstm_layers", "lstm_dim"))
        if options.lstm_dim < options.encoder_embed_dim:
            raise ValueError(
                f"--lstm-dim {options.lstm_dim} is less than --encoder-embed-dim "
                f"{options.encoder_embed_dim}, the width of a state: change either"
            )
