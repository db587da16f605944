"""A fairseq dictionary whose symbols are the 256 bytes."""

import numpy as np
import torch

from .text_dictionary import TextDictionary

NUM_BYTES = 256


def cut_utf8(raw, limit):
    """At most ``limit`` bytes of ``raw``, ending at a character boundary.

    Args:
        raw (bytes): text; where it is not UTF-8 it is cut at ``limit``.
        limit (int): in bytes.

    Returns:
        bytes
    """
    if len(raw) <= limit:
        return raw
    # A character has at most three continuation bytes (10xxxxxx) behind its first.
    for end in range(limit, max(limit - 4, -1), -1):
        if raw[end] & 0xC0 != 0x80:
            return raw[:end]
    return raw[:limit]


class ByteDictionary(TextDictionary):
    """``<s> <pad> </s> <unk>`` = 0..3 and byte ``b`` = ``b + 4``: 260 symbols.

    The mapping is fixed: no file, no counting, no padding to a multiple of
    eight. Bytes are named ``<0x00>`` .. ``<0xFF>`` as in SentencePiece. Every byte of a
    text is kept.

    Source: Shaham & Levy 2021, *Neural Machine Translation without
    Embeddings*, section 2.
    """

    unit, plural = "byte", "bytes"

    def __init__(self):
        super().__init__()
        self.byte_offset = self.nspecial
        for byte in range(NUM_BYTES):
            self.add_symbol(f"<0x{byte:02X}>")
        self.fix()

    def symbol_ids(self, raw):
        """int32[T]: the bytes of ``raw``."""
        return np.frombuffer(raw, np.uint8).astype(np.int32) + self.byte_offset

    def decode_bytes(self, ids):
        """bytes: those among ``ids`` (Tensor[T] or sequence of int)."""
        values = torch.as_tensor(ids).reshape(-1).cpu().numpy() - self.byte_offset
        return values[(values >= 0) & (values < NUM_BYTES)].astype(np.uint8).tobytes()

    def truncate(self, ids, limit):
        """``ids`` cut to at most ``limit`` of them, at the start of a character."""
        if len(ids) <= limit:
            return ids
        return self.encode_line(cut_utf8(self.decode_bytes(ids), limit - 1)).to(ids)
