"""Words to the pieces of a pre-trained tokenizer, and to what they spell in its eyes."""

from typing import NamedTuple, Tuple

from ...compat.transformers import import_transformers

_MOST_KEPT = 1 << 16  # words remembered
# What SentencePiece has in the place of a space.
_SPACE = "▁"


class ReadWord(NamedTuple):
    """``pieces``: rows of the table, at least one; ``spelling``: the word as the tokenizer
    normalises it, such as in lower case; ``is_piece``: it is one piece, and a known one."""

    pieces: Tuple[int, ...]
    spelling: bytes
    is_piece: bool


class PieceReader:
    """Reads words one by one: what stands between white space is cut by the tokenizer as it
    would be in its sentence.

    A word of which the tokenizer leaves nothing, such as a control character, is its
    ``[UNK]``: each word has a state.

    Args:
        parts (PretrainedParts)
        most (int, optional): pieces of a word; further ones are left out.
    """

    def __init__(self, parts, most=None):
        import_transformers("a tokenizer of Hugging Face")
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_str(parts.tokenizer)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._unknown = parts.special["unk"]
        self._most = most
        self._read = {}

    def __call__(self, raw):
        """
        Args:
            raw (bytes): a word; what is not UTF-8 in it is U+FFFD to the tokenizer.

        Returns:
            ReadWord
        """
        found = self._read.get(raw)
        if found is None:
            if len(self._read) >= _MOST_KEPT:
                self._read.clear()
            found = self._read[raw] = self._cut(raw)
        return found

    def _cut(self, raw):
        text = raw.decode("utf-8", "replace")
        pieces = self._tokenizer.encode(text, add_special_tokens=False).ids
        pieces = tuple(pieces or [self._unknown])
        normalizer = self._tokenizer.normalizer
        spelling = text if normalizer is None else normalizer.normalize_str(text)
        spelling = spelling.lstrip(_SPACE).encode("utf-8")
        return ReadWord(
            pieces[: self._most],
            spelling or raw,
            len(pieces) == 1 and pieces[0] != self._unknown,
        )

    def names(self):
        """list of str: the pieces in the order of their rows, None where there is none."""
        by_row = {row: name for name, row in self._tokenizer.get_vocab().items()}
        return [by_row.get(row) for row in range(max(by_row) + 1)]
