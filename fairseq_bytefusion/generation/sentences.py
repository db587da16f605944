"""What a Python program hands over as sentences."""

import logging
import re

from ..text.lines import without_end

logger = logging.getLogger(__name__)

# JSON and JavaScript write characters above U+FFFF as two surrogates.
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
# Those from U+DC80 to U+DCFF stand for bytes that are not UTF-8 (surrogateescape).
_LONE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


def read_sentences_of_list(sentences):
    """Sentences as the dictionaries take them: without their line ends or surrogates.

    Two surrogates that are a pair become the character they stand for. One alone becomes
    U+FFFD; such sentences are counted and logged.

    Args:
        sentences (list of str)

    Returns:
        list of str

    Raises:
        TypeError: ``sentences`` is not a list of str.
        ValueError: a line end within a sentence.
    """
    if isinstance(sentences, (str, bytes)) or not hasattr(sentences, "__iter__"):
        raise TypeError(f"a list of str is needed, not {type(sentences).__name__}")
    lines, replaced = [], 0
    for i, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            raise TypeError(
                f"sentence {i} must be str, not {type(sentence).__name__}: {sentence!r:.80}"
            )
        sentence = without_end(sentence)
        if "\n" in sentence:
            raise ValueError(f"sentence {i} has a line end within it: split it there")
        line, count = _LONE.subn("\N{REPLACEMENT CHARACTER}", _PAIR.sub(_join, sentence))
        lines.append(line)
        replaced += count > 0
    if replaced:
        logger.warning(
            "%d of %d sentences hold half a surrogate pair, which is read as U+FFFD",
            replaced,
            len(lines),
        )
    return lines


def _join(pair):
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def check_count(name, value, least=1):
    """Refuse what is not a whole number from 1 on.

    Args:
        name (str): of the argument.
        value (int)
        least (int): in place of 1.

    Raises:
        TypeError: it is no whole number; True and 1.0 are none.
        ValueError: it is below ``least``.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r:.80}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")
