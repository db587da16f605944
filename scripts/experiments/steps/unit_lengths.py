"""Lengths of sentences in symbols of a unit, without the package, which takes seconds."""

import functools


def unit_lengths(data, language):
    """Unit -> function from a sentence (bytes) to its length, without its end.

    Args:
        data (str): directory with the vocabularies.
        language (str)
    """

    @functools.cache
    def model():
        import sentencepiece

        return sentencepiece.SentencePieceProcessor(f"{data}/spm.{language}.model")

    return {
        "byte": len,
        "char": lambda line: len(line.decode("utf-8", "replace")),
        "sentencepiece": lambda line: len(model().encode(line.decode("utf-8", "replace"))),
    }
