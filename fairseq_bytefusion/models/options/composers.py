"""The options of word composers: which of them reads what, and what they must agree on."""

from ...modules.embedders import COMPOSERS
from ...modules.embedders.composers.char_cnn import PRESETS, check_filters, parse_filters

# Who reads an option: elsewhere it would do nothing, and is refused.
READERS = {
    "mixture": ["mixture"],
    "mixture_composer": ["mixture"],
    "max_word_chars": list(COMPOSERS),
    "char_embed_dim": list(COMPOSERS),
    "char2subword_layers": ["char2subword"],
    "char2subword_heads": ["char2subword"],
    "char2subword_from": ["char2subword"],
    "freeze_composer": ["char2subword"],
    "char_cnn_filters": ["char-cnn"],
    "char_cnn_style": ["char-cnn"],
    "char_rnn_hidden_dim": ["char-rnn"],
}


def composer_of(cfg):
    """The word composer in the encoder, or the name of its token embedder."""
    is_mixture = cfg.encoder_embedder == "mixture"
    return cfg.mixture_composer if is_mixture else cfg.encoder_embedder


def default_char_embed_dim(cfg):
    """Width of a character's embedding: an int, or None without a word composer."""
    if composer_of(cfg) == "char-cnn":
        return PRESETS.get(cfg.char_cnn_filters, PRESETS["kim-large"])[0]
    return {"char2subword": 256, "char-rnn": 50}.get(composer_of(cfg))


def check_composer(cfg, defaults):
    """Refuse options of word composers that contradict each other or do nothing.

    Args:
        cfg (Namespace): see :func:`~.config.complete`.
        defaults (ByteTransformerConfig)

    Raises:
        ValueError: names the flag to change.
    """
    for name, readers in READERS.items():
        value = getattr(cfg, name)
        unread = not {cfg.encoder_embedder, composer_of(cfg)} & set(readers)
        if unread and value != getattr(defaults, name):
            given = _flag(name) if isinstance(value, bool) else f"{_flag(name)} {value}"
            raise ValueError(
                f"{given} (set by that flag or by --arch) does nothing with "
                f"{_embedder_flags(cfg)}: drop that flag, choose another --arch, or "
                f"choose {' or '.join(readers)}"
            )
    _check_positive(cfg, READERS)
    if composer_of(cfg) == "char2subword":
        check_char2subword(cfg)
    if cfg.freeze_composer and not cfg.char2subword_from:
        raise ValueError(
            "--freeze-composer would keep random weights: give --char2subword-from as well"
        )
    if composer_of(cfg) == "char-cnn":
        _check_filters(cfg)


def check_char2subword(cfg):
    """Refuse sizes of char2subword that cannot be.

    Args:
        cfg (Namespace or DictConfig): with ``char_embed_dim``, ``char2subword_layers``,
            ``char2subword_heads``, ``max_word_chars``.

    Raises:
        ValueError: names the flag to change.
    """
    sizes = ("char_embed_dim", "char2subword_layers", "char2subword_heads")
    _check_positive(cfg, (*sizes, "max_word_chars"))
    if cfg.char_embed_dim % cfg.char2subword_heads or cfg.char_embed_dim % 2:
        raise ValueError(
            f"--char-embed-dim {cfg.char_embed_dim} must be even and a multiple of "
            f"--char2subword-heads {cfg.char2subword_heads}: change either"
        )


def _check_positive(cfg, names):
    for name in names:
        value = getattr(cfg, name)
        if isinstance(value, int) and not isinstance(value, bool) and value < 1:
            raise ValueError(f"{_flag(name)} {value} must be at least 1")


def _flag(name):
    return f"--{name.replace('_', '-')}"


def _embedder_flags(cfg):
    flags = f"--encoder-embedder {cfg.encoder_embedder}"
    if cfg.encoder_embedder == "mixture":
        flags += f" --mixture-composer {cfg.mixture_composer}"
    return flags


def _check_filters(cfg):
    try:
        filters = parse_filters(cfg.char_cnn_filters)
        check_filters(
            filters, cfg.max_word_chars if cfg.char_cnn_style == "fairseq" else None
        )
    except ValueError as error:
        raise ValueError(f"--char-cnn-filters {cfg.char_cnn_filters}: {error}") from error
