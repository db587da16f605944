"""What composing words saves of a pre-trained encoder: parameters, tokens a sentence."""

from dataclasses import dataclass

from ..modules.pretrained import PieceReader, PretrainedParts
from ..text.labelled_lines import numbered_lines
from ..text.text_dictionary import encode_utf8
from ..text.word_list import split_words

_COMPOSER = ("encoder.embed_tokens.composer.", "word composer")
_ENCODER = ("encoder.", "layers")


@dataclass(frozen=True)
class TokenCounts:
    """Of sentences that hold a word: words, pieces of the tokenizer, words of one piece."""

    sentences: int
    words: int
    pieces: int
    whole: int


def parameters_by_part(parameters, table):
    """Parameters of the parts of a pre-trained encoder.

    Args:
        parameters (dict of str to Tensor): of a model that labels.
        table (str): the name of the table of pieces.

    Returns:
        dict of str to int: ``table``, ``word composer``, ``layers``.
    """
    return count_parts(parameters, ((table, "table"), _COMPOSER, _ENCODER))


def count_parts(parameters, parts):
    """Parameters of the parts of a model.

    Args:
        parameters (dict of str to Tensor)
        parts (sequence of (str, str)): what names begin with, and the part that they are
            of; of several that fit, the first.

    Returns:
        dict of str to int: in the order of ``parts``.
    """
    counts = {part: 0 for _, part in parts}
    for name, tensor in parameters.items():
        part = next((part for start, part in parts if name.startswith(start)), None)
        if part is not None:
            counts[part] += tensor.numel()
    return counts


def count_tokens(state, path):
    """How many pieces and words the sentences of a file have.

    Args:
        state (dict): what a checkpoint keeps of a pre-trained encoder.
        path (str): a sentence a line.

    Returns:
        TokenCounts

    Raises:
        OSError: it cannot be read.
        ValueError: it holds no word; transformers is not installed.
    """
    reader = PieceReader(PretrainedParts(**state))
    sentences, words, pieces, whole = 0, 0, 0, 0
    for _, line in numbered_lines(path):
        read = [reader(encode_utf8(word)) for word in split_words(line)]
        sentences += bool(read)
        words += len(read)
        pieces += sum(len(word.pieces) for word in read)
        whole += sum(word.is_piece for word in read)
    if not sentences:
        raise ValueError(f"{path} holds no word: there is nothing to count")
    return TokenCounts(sentences, words, pieces, whole)


def format_tokens(path, counts):
    """str: a line of TokenCounts of a file."""
    return (
        f"  tokens a sentence of {path}: {counts.pieces / counts.sentences:.2f} as pieces, "
        f"{counts.words / counts.sentences:.2f} as words "
        f"({100 * counts.whole / counts.words:.1f}% of these are one piece)"
    )
