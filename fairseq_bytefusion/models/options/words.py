"""The options of the embedder ``words``."""

from dataclasses import dataclass

from fairseq.dataclass import FairseqDataclass

from .composers import composer_owner
from .groups import option

_WORDS = composer_owner(("words",))


@dataclass
class WordsOptions(FairseqDataclass):
    """Of ``words``."""

    word_dropout: float = option(
        0.1,
        "words: probability that training reads a known word as an unknown one, so that "
        "the row of these learns something",
        _WORDS,
    )

    @staticmethod
    def check_group(options, dictionary):
        if not 0 <= options.word_dropout < 1:
            raise ValueError(
                f"--word-dropout {options.word_dropout:g} must be at least 0 and below 1"
            )
