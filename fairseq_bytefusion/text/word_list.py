"""Lists of known words: ``dict.word.<lang>.txt``, and the hashes of what they hold."""

import re

import numpy as np
import torch

from .files import HEAD_BYTES, check_plain
from .lines import raw_lines
from .text_dictionary import encode_utf8
from .words import symbol_tables, unique_words

_WHITESPACE_RUN = re.compile(rb"[ \t\r\v\f]+")
_WHITESPACE = re.compile(rb"[ \t\r\v\f\n]")
_WHITESPACE_OF_TEXT = re.compile("[ \t\r\v\f]+")
_CHUNK = 4096  # words hashed at a time
_FINGERPRINT_BYTES = 6

OTHER_WORDS = (
    "the list of words (dict.word.LANG.txt) is not the one of training: put that file into "
    "the data directory"
)


def count_words(lines):
    """How often each word occurs; words are what stands between whitespace.

    Args:
        lines (iterable of bytes): sentences without ``\\n``.

    Returns:
        dict of bytes to int
    """
    counts = {}
    for line in lines:
        for word in filter(None, _WHITESPACE_RUN.split(line)):
            counts[word] = counts.get(word, 0) + 1
    return counts


def count_file(path):
    """How often each word of a text file occurs.

    Args:
        path (str): plain UTF-8.

    Returns:
        dict of bytes to int

    Raises:
        OSError: it cannot be read.
        ValueError: it holds no word, or is no plain UTF-8.
    """
    with open(path, "rb") as file:
        check_plain(file.read(HEAD_BYTES), path)
        file.seek(0)
        found = count_words(raw_lines(file))
    if not found:
        raise ValueError(f"{path} holds no word")
    return found


def read_word_list(path):
    """The words of a file of ``word count`` lines, in its order: list of bytes. Arguments
    and errors are those of :func:`read_word_counts`."""
    return list(read_word_counts(path))


def read_word_counts(path):
    """The words of a file of ``word count`` lines, in its order, and their counts.

    Args:
        path (str)

    Returns:
        dict of bytes to int

    Raises:
        OSError: it cannot be read.
        ValueError: a line without a count, a word with whitespace, a word twice, or no
            line at all; no plain UTF-8.
    """
    with open(path, "rb") as file:
        check_plain(file.read(HEAD_BYTES), path)
        file.seek(0)
        lines = list(raw_lines(file))
    counts = {}
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        word, _, count = line.rpartition(b" ")
        if not is_word(word) or not count.isdigit():
            raise ValueError(f"{path}, line {number}: not a word and its count: {line!r}")
        if word in counts:
            raise ValueError(f"{path} holds a word twice")
        counts[word] = int(count)
    if not counts:
        raise ValueError(f"{path} holds no word")
    return counts


def pack_words(words):
    """Words for a checkpoint.

    Args:
        words (list of bytes): without ``\\n``, at least one.

    Returns:
        UInt8[N]: joined by ``\\n``.
    """
    return torch.from_numpy(np.frombuffer(b"\n".join(words), np.uint8).copy())


def unpack_words(packed):
    """list of bytes: what :func:`pack_words` made ``packed`` (UInt8[N]) of."""
    return packed.cpu().numpy().tobytes().split(b"\n")


def pack_labels(labels):
    """UInt8[N]: what a checkpoint keeps of ``labels`` (list of str, without ``\\n``)."""
    return pack_words(list(map(encode_utf8, labels)))


def unpack_labels(packed):
    """list of str: what :func:`pack_labels` made ``packed`` (UInt8[N]) of."""
    return [label.decode("utf-8") for label in unpack_words(packed)]


def is_word(raw):
    """bool: whether ``raw`` (bytes) can stand in a list of words: something, and no
    whitespace in it."""
    return bool(raw) and not _WHITESPACE.search(raw)


def joined_words(words):
    """bytes: a sentence of ``words`` (list of str), with one space between them."""
    return b" ".join(map(encode_utf8, words))


def split_words(text):
    """list of str: the words of a sentence (str), what stands between white space."""
    return list(filter(None, _WHITESPACE_OF_TEXT.split(text)))


def known_words(words, dictionary):
    """Those of ``words`` (list of bytes) that hold no ``<unk>`` of ``dictionary``
    (TextDictionary): list of bytes."""
    return [w for w in words if dictionary.unk() not in dictionary.symbol_ids(w)]


def hash_words(words, dictionary):
    """The hash that each word has in a batch, see :class:`~.words.UniqueWords`.

    Args:
        words (list of bytes): without whitespace.
        dictionary (fairseq.data.Dictionary)

    Returns:
        Long[K]
    """
    tables = symbol_tables(dictionary)
    found = []
    for start in range(0, len(words), _CHUNK):
        rows = [dictionary.encode_line(w).long() for w in words[start : start + _CHUNK]]
        batch = torch.nn.utils.rnn.pad_sequence(rows, True, dictionary.pad())
        unique = unique_words(batch, dictionary.pad(), tables, 1)
        found.append(unique.hashes[unique.index[:, 0]])
    return torch.cat(found)


def fingerprint(hashes):
    """What a checkpoint keeps of a list of words and its order.

    Args:
        hashes (Long[K]): of the words, in the order of the rows.

    Returns:
        Float[6]: whole numbers below 256, which survive averaging and 16-bit floats.
    """
    hashes, rows = hashes.sort()
    total = int((hashes * (2 * rows + 1)).sum()) & (2**64 - 1)
    return torch.tensor([float(b) for b in total.to_bytes(8, "big")[:_FINGERPRINT_BYTES]])
