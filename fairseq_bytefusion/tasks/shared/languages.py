"""The languages of a task: one source or several, one target."""

from fairseq import utils

from ...data import infer_language_pair


def source_languages(text):
    """``"de,fr,ru"`` (str) to a list of codes.

    Raises:
        ValueError: an empty code, or one that comes twice.
    """
    langs = text.split(",")
    if "" in langs:
        raise ValueError(f"--source-lang {text} has an empty code: write it as de,fr,ru")
    twice = sorted({lang for lang in langs if langs.count(lang) > 1})
    if twice:
        raise ValueError(
            f"--source-lang {text} names {', '.join(twice)} twice: to see a language more "
            "often raise --sampling-temperature"
        )
    return langs


def complete_languages(cfg):
    """Check ``source_lang`` and ``target_lang`` of ``cfg``; infer what is not given.

    Args:
        cfg (ByteTranslationConfig): changed in place.

    Returns:
        list of str: source languages.

    Raises:
        FileNotFoundError, ValueError: see ``data.infer_language_pair``.
        ValueError: several targets, or the target among the sources.
    """
    sources = None if cfg.source_lang is None else source_languages(cfg.source_lang)
    if cfg.source_lang is None or cfg.target_lang is None:
        source, cfg.target_lang = infer_language_pair(
            utils.split_paths(cfg.data)[0], sources and sources[0], cfg.target_lang
        )
        cfg.source_lang = cfg.source_lang or source
        sources = source_languages(cfg.source_lang)
    if "," in cfg.target_lang:
        raise ValueError(
            f"--target-lang {cfg.target_lang}: there may be several sources, but one target"
        )
    if cfg.target_lang in sources:
        raise ValueError(f"{cfg.target_lang} is both a source and the target language")
    return sources
