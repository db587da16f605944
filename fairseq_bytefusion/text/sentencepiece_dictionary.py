"""A fairseq dictionary whose symbols are subwords: ``spm.<lang>.model``."""

import hashlib

import numpy as np
import sentencepiece
import torch

from .text_dictionary import TextDictionary

#: how SentencePiece writes a space
SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
# Unicode guarantees that this is no character: no text has it, no vocabulary neither.
_UNKNOWN = "\U0010ffff"


class SentencePieceDictionary(TextDictionary):
    """Special symbols, then the pieces of a SentencePiece model in its order.

    SentencePiece cannot tell a literal ``▁`` from a space: here it is an unknown
    character, not a space. The space that SentencePiece puts before a sentence, so that
    its first word looks like any other, is taken away again, and no other.

    Args:
        model (bytes): a SentencePiece model file.

    Raises:
        RuntimeError: it is none.

    Source: Kudo & Richardson 2018, *SentencePiece*.
    """

    unit, plural = "sentencepiece", "subwords"
    filename = "spm.{}.model"
    spaces_apart = False

    def __init__(self, model):
        super().__init__()
        self._processor = spm = sentencepiece.SentencePieceProcessor(model_proto=model)
        #: our id -> bytes; SentencePiece's id -> ours
        self._pieces = [b""] * self.nspecial
        self._ids = np.full(spm.get_piece_size(), self.unk(), np.int32)
        for i in range(spm.get_piece_size()):
            if spm.is_unknown(i) or spm.is_control(i) or spm.is_unused(i):
                continue
            piece = spm.id_to_piece(i)
            self._ids[i] = len(self)
            # A piece of text may look like a special symbol. None holds a space.
            self.add_symbol(f"{piece} (text)" if piece in self else piece)
            self._pieces.append(
                bytes([int(piece[3:5], 16)])  # <0xE4>
                if spm.is_byte(i)
                else piece.replace(SPACE, " ").encode("utf-8")
            )
        self.fix()
        self._has_prefix = "".join(spm.encode("a", out_type=str)).startswith(SPACE)

    @classmethod
    def from_file(cls, path):
        """Read a model.

        Args:
            path (str)

        Raises:
            OSError: it cannot be read.
            ValueError: it is no SentencePiece model.
        """
        with open(path, "rb") as file:
            content = file.read()
        try:
            dictionary = cls(content)
        except RuntimeError as error:
            raise ValueError(f"{path} is not a SentencePiece model") from error
        dictionary.path, dictionary.digest = path, hashlib.sha256(content).hexdigest()
        return dictionary

    def symbol_ids(self, raw):
        """int32[T]: the pieces of ``raw`` (bytes)."""
        text = raw.decode("utf-8", "replace").replace(SPACE, _UNKNOWN)
        return self._ids[np.array(self._processor.encode(text), np.int64)]

    def decode_bytes(self, ids):
        """bytes: those of the pieces among ``ids`` (Tensor[T] or sequence of int)."""
        ids = torch.as_tensor(ids).reshape(-1).tolist()
        known = range(len(self._pieces))
        return b"".join(self._pieces[i] for i in ids if i in known)

    def without_prefix(self, text):
        """``text`` without the space that SentencePiece puts before a sentence."""
        return text[1:] if self._has_prefix and text.startswith(" ") else text
