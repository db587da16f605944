"""The options of embedders."""

from dataclasses import dataclass

from fairseq.dataclass import ChoiceEnum

from ...modules.embedders import COMPOSERS, EMBEDDERS, TOKEN_EMBEDDERS
from .composers import (
    Char2SubwordOptions,
    CharCNNOptions,
    CharRNNOptions,
    ComposerOptions,
    MixtureOptions,
)
from .elmo import ElmoOptions
from .groups import option
from .hit import HitOptions
from .one_hot import check_one_hot
from .words import WordsOptions

_WHICH = (
    f"one a symbol ({', '.join(TOKEN_EMBEDDERS)}), one a word ({', '.join(COMPOSERS)}), "
    "the latter with a table of the words in DATA/dict.word.LANG.txt (mixture), that "
    "table alone (words), or the layers of a language model (elmo)"
)


@dataclass
class EmbedderOptions(
    MixtureOptions,
    ComposerOptions,
    Char2SubwordOptions,
    CharCNNOptions,
    CharRNNOptions,
    HitOptions,
    WordsOptions,
    ElmoOptions,
):
    """Which embedder an encoder has, and the options of each."""

    encoder_embedder: ChoiceEnum(list(EMBEDDERS)) = option(
        "dense", "how source symbols become states: " + _WHICH
    )

    @staticmethod
    def check_group(options, dictionary):
        if options.encoder_embedder == "one-hot":
            check_one_hot("encoder", options.encoder_embed_dim, dictionary)
        if options.encoder_embedder not in TOKEN_EMBEDDERS:
            refuse_unclear_words(
                f"--encoder-embedder {options.encoder_embedder}", dictionary
            )


def check_table(side, options, sharing):
    """Refuse to share the table of an embedder that has none.

    Args:
        side (str): ``encoder`` or ``decoder``.
        options (Namespace)
        sharing (str): the flag that asks for it.

    Raises:
        ValueError: names the flag to drop.
    """
    name = getattr(options, f"{side}_embedder")
    if not EMBEDDERS[name].has_table:
        raise ValueError(
            f"--{side}-embedder {name} has no embedding table to share: drop {sharing}"
        )


def refuse_unclear_words(what, dictionary):
    """Refuse what cuts symbols into words where a symbol holds space and letters.

    Args:
        what (str): the flag and value that does.
        dictionary (fairseq.data.Dictionary)

    Raises:
        ValueError
    """
    if not getattr(dictionary, "spaces_apart", True):
        raise ValueError(
            f"{what} cuts sentences into words and words into characters, and a symbol of "
            f"--source-unit {dictionary.unit} may be several of these: choose another "
            "source unit, or drop that flag"
        )
