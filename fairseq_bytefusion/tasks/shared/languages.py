"""The languages of a task: one source or several, one target or several."""

from fairseq import utils

from ...data import infer_language_pair


def language_codes(text, flag):
    """``"de,fr,ru"`` (str), the value of ``flag`` (str), to a list of codes.

    Raises:
        ValueError: an empty code, or one that comes twice.
    """
    langs = text.split(",")
    if "" in langs:
        raise ValueError(f"{flag} {text} has an empty code: write it as de,fr,ru")
    twice = sorted({lang for lang in langs if langs.count(lang) > 1})
    if twice:
        raise ValueError(
            f"{flag} {text} names {', '.join(twice)} twice: to see a language more "
            "often raise --sampling-temperature"
        )
    return langs


def complete_languages(cfg):
    """Check ``source_lang`` and ``target_lang`` of ``cfg``; infer what is not given.

    Args:
        cfg (ByteTranslationConfig): changed in place.

    Returns:
        tuple of list of str: source languages, target languages.

    Raises:
        FileNotFoundError, ValueError: see ``data.infer_language_pair``.
        ValueError: a target among the sources.
    """
    sides = {"--source-lang": cfg.source_lang, "--target-lang": cfg.target_lang}
    known = [text and language_codes(text, flag)[0] for flag, text in sides.items()]
    if None in known:
        source, target = infer_language_pair(utils.split_paths(cfg.data)[0], *known)
        cfg.source_lang, cfg.target_lang = (
            cfg.source_lang or source,
            cfg.target_lang or target,
        )
    sources = language_codes(cfg.source_lang, "--source-lang")
    targets = language_codes(cfg.target_lang, "--target-lang")
    for lang in targets:
        if lang in sources:
            which = "the" if len(targets) == 1 else "a"
            raise ValueError(
                f"{lang} is both a source and {which} target language: leave it out of "
                "--source-lang or --target-lang"
            )
    return sources, targets
