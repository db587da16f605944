"""The options of word composers, and of mixtures with one."""

from dataclasses import dataclass
from functools import partial
from typing import Optional

from fairseq.dataclass import ChoiceEnum, FairseqDataclass

from ...modules.embedders import COMPOSERS
from ...modules.embedders.composers.char_cnn import (
    ACTIVATIONS,
    PRESETS,
    STYLES,
    CharCNN,
    check_filters,
    parse_filters,
)
from ...modules.embedders.composers.char_rnn import POOLINGS
from ...modules.embedders.mixture import MIXTURES
from .groups import Owner, check_positive, option


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


#: Owner of options of an embedder, or of the composer in a mixture: takes ``names``
composer_owner = partial(Owner, chosen=_chosen, complaint=_complaint)
_MIXTURE = composer_owner(("mixture",))
_COMPOSERS = composer_owner(tuple(COMPOSERS))
_CHAR2SUBWORD = composer_owner(("char2subword",))
_CHAR_CNN = composer_owner(("char-cnn",))
_CHAR_RNN = composer_owner(("char-rnn",))


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
        "word composers: width of a symbol's embedding, for char2subword and hit also of "
        "layers; default: 256 char2subword, 15 or the preset's char-cnn, 50 char-rnn, "
        "128 hit",
        _COMPOSERS,
    )

    composer_from: Optional[str] = option(
        None,
        "word composers: start from that of this checkpoint, of a model of any task, such "
        "as masked_characters; of --task embedding_approximation, --mixture hybrid gets "
        "the rows of its table as well",
        _COMPOSERS,
    )
    freeze_composer: bool = option(
        False, "keep what --composer-from gave the word composer as it is", _COMPOSERS
    )

    @staticmethod
    def resolve(options):
        composer = COMPOSERS.get(composer_of(options))
        if options.char_embed_dim is None and composer is not None:
            options.char_embed_dim = composer.default_char_dim(options)

    @staticmethod
    def check_group(options, dictionary):
        check_positive(options, ("max_word_chars", "char_embed_dim"))
        if options.freeze_composer and not (
            options.composer_from or options.char2subword_from
        ):
            raise ValueError(
                "--freeze-composer would keep random weights: give --composer-from as well"
            )
        check_one_start(options)


@dataclass
class Char2SubwordOptions(FairseqDataclass):
    """Of ``char2subword``."""

    char2subword_layers: int = option(2, "char2subword: layers", _CHAR2SUBWORD)
    char2subword_heads: int = option(4, "char2subword: attention heads", _CHAR2SUBWORD)
    char2subword_from: Optional[str] = option(
        None,
        "char2subword: another name of --composer-from",
        _CHAR2SUBWORD,
    )

    @staticmethod
    def check_group(options, dictionary):
        if composer_of(options) == "char2subword":
            check_char2subword(options)


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
    char_cnn_highway_layers: Optional[int] = option(
        None,
        "char-cnn: highway layers behind the filters; default: those of the preset, 1 in "
        "kim-small, else 2",
        _CHAR_CNN,
    )
    char_cnn_activation: Optional[ChoiceEnum(list(ACTIVATIONS))] = option(
        None,
        "char-cnn: activation of the filters; default: relu in elmo and in the style of "
        "fairseq, else tanh",
        _CHAR_CNN,
    )

    @staticmethod
    def resolve(options):
        if composer_of(options) != "char-cnn":
            return
        if options.char_cnn_highway_layers is None:
            options.char_cnn_highway_layers = CharCNN.default_highway_layers(options)
        if options.char_cnn_activation is None:
            options.char_cnn_activation = CharCNN.default_activation(options)

    @staticmethod
    def resolve_as_before(saved):
        has_embedder = getattr(saved, "encoder_embedder", None) is not None
        if not has_embedder or composer_of(saved) != "char-cnn":
            return
        if getattr(saved, "char_cnn_highway_layers", None) is None:
            saved.char_cnn_highway_layers = 2  # in every preset
        if getattr(saved, "char_cnn_activation", None) is None:
            # What a DictConfig lacks is None in omegaconf 2.0, whatever the default.
            is_kim = getattr(saved, "char_cnn_style", None) in (None, "kim")
            saved.char_cnn_activation = "tanh" if is_kim else "relu"

    @staticmethod
    def check_group(options, dictionary):
        if composer_of(options) != "char-cnn":
            return
        if options.char_cnn_highway_layers < 0:
            raise ValueError(
                f"--char-cnn-highway-layers {options.char_cnn_highway_layers} must not be "
                "negative"
            )
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
    char_rnn_pooling: ChoiceEnum(list(POOLINGS)) = option(
        "last",
        "char-rnn: a word's vector is made of the last states, or of all of them, weighed "
        "by attention (Yang et al. 2016)",
        _CHAR_RNN,
    )

    @staticmethod
    def check_group(options, dictionary):
        check_positive(options, ("char_rnn_hidden_dim",))


def check_one_start(options):
    """Raise ValueError where options have two checkpoints that a composer starts from."""
    # Checkpoints of before lack them.
    if all(getattr(options, f"{name}_from", None) for name in ("composer", "char2subword")):
        raise ValueError(
            "--char2subword-from is another name of --composer-from: give one of them"
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
