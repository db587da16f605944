"""The options of embedders."""

from dataclasses import dataclass
from functools import partial
from typing import Optional

from fairseq.dataclass import ChoiceEnum, FairseqDataclass

from ...modules.embedders import COMPOSERS, EMBEDDERS, TOKEN_EMBEDDERS
from ...modules.embedders.composers.char_cnn import (
    PRESETS,
    STYLES,
    check_filters,
    parse_filters,
)
from ...modules.embedders.mixture import MIXTURES
from .groups import Owner, check_positive, option

_WHICH = (
    f"one a symbol ({', '.join(TOKEN_EMBEDDERS)}), one a word ({', '.join(COMPOSERS)}), or "
    "the latter with a table of the words in DATA/dict.word.LANG.txt (mixture)"
)


def composer_of(options):
    """The word composer in the encoder, or the name of its token embedder."""
    is_mixture = options.encoder_embedder == "mixture"
    return options.mixture_composer if is_mixture else options.encoder_embedder


def _chosen(options):
    of_decoder = getattr(options, "decoder_embedder", None)
    return {options.encoder_embedder, composer_of(options), of_decoder}


def _complaint(given, names, options):
    found = f"--encoder-embedder {options.encoder_embedder}"
    if options.encoder_embedder == "mixture":
        found += f" --mixture-composer {options.mixture_composer}"
    return (
        f"{given} (set by that flag or by --arch) does nothing with {found}: drop that "
        f"flag, choose another --arch, or choose {' or '.join(names)}"
    )


_owner = partial(Owner, chosen=_chosen, complaint=_complaint)
_MIXTURE = _owner(("mixture",))
_COMPOSERS = _owner(tuple(COMPOSERS))
_CHAR2SUBWORD = _owner(("char2subword",))
_CHAR_CNN = _owner(("char-cnn",))
_CHAR_RNN = _owner(("char-rnn",))


@dataclass
class MixtureOptions(FairseqDataclass):
    """Of ``mixture``."""

    mixture: ChoiceEnum(list(MIXTURES)) = option(
        "sum",
        "mixture: composed vector plus table row, a linear map of both, or (hybrid) the "
        "row for known words and the composed vector for all others",
        _MIXTURE,
    )
    mixture_composer: ChoiceEnum(list(COMPOSERS)) = option(
        "char2subword", "mixture: the word composer in it", _MIXTURE
    )


@dataclass
class ComposerOptions(FairseqDataclass):
    """Of all word composers."""

    max_word_chars: int = option(
        50, "word composers: longest word in symbols; longer ones are cut", _COMPOSERS
    )
    char_embed_dim: Optional[int] = option(
        None,
        "word composers: width of a symbol's embedding, for char2subword also of its "
        "layers; default: 256 char2subword, 15 or the preset's char-cnn, 50 char-rnn",
        _COMPOSERS,
    )

    @staticmethod
    def resolve(options):
        composer = COMPOSERS.get(composer_of(options))
        if options.char_embed_dim is None and composer is not None:
            options.char_embed_dim = composer.default_char_dim(options)

    @staticmethod
    def check_group(options, dictionary):
        check_positive(options, ("max_word_chars", "char_embed_dim"))


@dataclass
class Char2SubwordOptions(FairseqDataclass):
    """Of ``char2subword``."""

    char2subword_layers: int = option(2, "char2subword: layers", _CHAR2SUBWORD)
    char2subword_heads: int = option(4, "char2subword: attention heads", _CHAR2SUBWORD)
    char2subword_from: Optional[str] = option(
        None,
        "char2subword: start from this checkpoint of --task embedding_approximation; with "
        "--mixture hybrid the rows of its table come along",
        _CHAR2SUBWORD,
    )
    freeze_composer: bool = option(
        False,
        "keep what --char2subword-from gave the word composer as it is",
        _CHAR2SUBWORD,
    )

    @staticmethod
    def check_group(options, dictionary):
        if composer_of(options) == "char2subword":
            check_char2subword(options)
        if options.freeze_composer and not options.char2subword_from:
            raise ValueError(
                "--freeze-composer would keep random weights: give --char2subword-from as "
                "well"
            )


@dataclass
class CharCNNOptions(FairseqDataclass):
    """Of ``char-cnn``."""

    char_cnn_filters: str = option(
        "kim-large",
        f"char-cnn: {', '.join(PRESETS)} or width:number,width:number...",
        _CHAR_CNN,
    )
    char_cnn_style: ChoiceEnum(list(STYLES)) = option(
        "kim",
        "char-cnn: as in Kim et al. 2015 or as fairseq's CharacterTokenEmbedder",
        _CHAR_CNN,
    )

    @staticmethod
    def check_group(options, dictionary):
        if composer_of(options) != "char-cnn":
            return
        widest = options.max_word_chars if options.char_cnn_style == "fairseq" else None
        try:
            check_filters(parse_filters(options.char_cnn_filters), widest)
        except ValueError as error:
            raise ValueError(
                f"--char-cnn-filters {options.char_cnn_filters}: {error}"
            ) from error


@dataclass
class CharRNNOptions(FairseqDataclass):
    """Of ``char-rnn``."""

    char_rnn_hidden_dim: int = option(
        150, "char-rnn: width of each direction's state", _CHAR_RNN
    )

    @staticmethod
    def check_group(options, dictionary):
        check_positive(options, ("char_rnn_hidden_dim",))


@dataclass
class EmbedderOptions(
    MixtureOptions, ComposerOptions, Char2SubwordOptions, CharCNNOptions, CharRNNOptions
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


def check_char2subword(options):
    """Refuse sizes of char2subword that cannot be.

    Args:
        options (Namespace or DictConfig): with ``char_embed_dim``,
            ``char2subword_layers``, ``char2subword_heads``, ``max_word_chars``.

    Raises:
        ValueError: names the flag to change.
    """
    sizes = ("char_embed_dim", "char2subword_layers", "char2subword_heads")
    check_positive(options, (*sizes, "max_word_chars"))
    if options.char_embed_dim % options.char2subword_heads or options.char_embed_dim % 2:
        raise ValueError(
            f"--char-embed-dim {options.char_embed_dim} must be even and a multiple of "
            f"--char2subword-heads {options.char2subword_heads}: change either"
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
