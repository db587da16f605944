"""Moses tokenisation through sacremoses, for languages it knows and relatives of these."""

import functools

# Language without a tokenizer of its own -> the related one whose rules it reuses.
FALLBACK = {
    "af": "nl", "an": "es", "arz": "en", "ast": "es", "be": "ru", "bg": "ru", "bho": "hi",
    "br": "fr", "bs": "sl", "co": "it", "cy": "ga", "da": "sv", "dsb": "pl", "eu": "es",
    "fo": "is", "fy": "nl", "gd": "ga", "gl": "pt", "gsw": "de", "hr": "sl", "hsb": "cs",
    "kk": "ru", "ky": "ru", "lb": "de", "li": "nl", "lmo": "it", "ltg": "lv", "mai": "hi",
    "mk": "ru", "mo": "ro", "nb": "sv", "nds": "de", "ne": "hi", "nn": "sv", "no": "sv",
    "oc": "ca", "ory": "or", "pt_br": "pt", "rue": "ru", "sa": "hi", "scn": "it",
    "se": "fi", "sh": "sl", "sr": "ru", "szl": "pl", "tg": "ru", "tt": "ru", "uk": "ru",
    "wa": "fr", "yi": "de", "zh_tw": "zh",
}  # fmt: skip


def moses_language(language):
    """The code of the Moses tokenizer for a language.

    Args:
        language (str): ISO 639-1, or 639-3 where there is none.

    Returns:
        str: the language itself, its relative in :data:`FALLBACK`, or ``en``.
    """
    from sacremoses.corpus import NonbreakingPrefixes

    known = NonbreakingPrefixes().available_langs
    code = language.lower().replace("-", "_")
    return known.get(code) or known.get(FALLBACK.get(code)) or "en"


@functools.cache
def moses_tokenizer(language):
    """A function that tokenises a sentence (str -> str) by the rules of ``language``.

    Nothing is escaped: ``&`` stays ``&``, unlike in Moses' own ``tokenizer.perl``
    without ``-no-escape``, since byte models need no reserved characters.
    """
    from sacremoses import MosesTokenizer

    tokenizer = MosesTokenizer(moses_language(language))
    return lambda text: tokenizer.tokenize(text, return_str=True, escape=False)
