"""A fairseq dictionary whose symbols are the 256 bytes."""

import logging

import numpy as np
import torch
from fairseq.data import Dictionary

logger = logging.getLogger(__name__)

NUM_BYTES = 256
# Shown for a newline byte: no sentence holds one, so a model that emits one is
# wrong, and a real line break would tear the log line it is printed on.
NEWLINE_SYMBOL = "\N{SYMBOL FOR NEWLINE}"


def encode_utf8(text):
    """UTF-8 bytes of ``text``, whatever it holds.

    Args:
        text (str or bytes): bytes are returned as they are. Surrogates made by
            ``errors="surrogateescape"`` become the byte they stand for; other
            lone surrogates become their three-byte form (which is not UTF-8).

    Raises:
        TypeError: ``text`` is neither ``str`` nor ``bytes``.
    """
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    if not isinstance(text, str):
        raise TypeError(
            f"a sentence must be str or bytes, not {type(text).__name__}: {text!r:.80}"
        )
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # another surrogate: character by character
        return b"".join(
            c.encode(
                "utf-8", "surrogateescape" if "\udc80" <= c <= "\udcff" else "surrogatepass"
            )
            for c in text
        )


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


class ByteDictionary(Dictionary):
    """``<s> <pad> </s> <unk>`` = 0..3 and byte ``b`` = ``b + 4``: 260 symbols.

    The mapping is fixed: no file, no counting, no padding to a multiple of
    eight. Bytes are named ``<0x00>`` .. ``<0xFF>`` as in SentencePiece.

    Source: Shaham & Levy 2021, *Neural Machine Translation without
    Embeddings*, section 2.
    """

    def __init__(self):
        self._is_fixed = False
        super().__init__()
        self.byte_offset = self.nspecial
        for byte in range(NUM_BYTES):
            self.add_symbol(f"<0x{byte:02X}>")
        self._is_fixed = True
        #: how many decoded sentences were not UTF-8, since construction
        self.num_invalid_decoded = 0

    def add_symbol(self, word, n=1, overwrite=False):
        """As in fairseq, but refuses symbols that are not there already.

        Raises:
            ValueError: ``word`` is new; the vocabulary is the 256 bytes.
        """
        if self._is_fixed and word not in self.indices:
            raise ValueError(
                f"cannot add the symbol {word!r}: a byte dictionary is fixed at "
                f"{len(self)} symbols"
            )
        return super().add_symbol(word, n, overwrite)

    def finalize(self, threshold=-1, nwords=-1, padding_factor=8):
        """Nothing to do: the order is fixed and no symbol is ever dropped."""

    def pad_to_multiple_(self, padding_factor):
        """Nothing to do: fillers such as ``madeupword0000`` are not bytes."""

    def encode_line(
        self,
        line,
        line_tokenizer=None,
        add_if_not_exist=False,
        consumer=None,
        append_eos=True,
        reverse_order=False,
    ):
        """Ids of the bytes of ``line``: every byte is kept, spaces included.

        Args:
            line (str or bytes): raw text; ``</s>`` or ``<pad>`` in it are
                ordinary bytes.
            line_tokenizer, add_if_not_exist: part of fairseq's signature, without
                meaning for bytes.
            consumer (callable, optional): called with ``(symbol, id)`` per byte.
            append_eos (bool): end with ``</s>``.
            reverse_order (bool): last byte first.

        Returns:
            IntTensor[T]: T = number of bytes, plus one with ``append_eos``.

        Raises:
            TypeError: ``line`` is neither ``str`` nor ``bytes``.
        """
        raw = np.frombuffer(encode_utf8(line), dtype=np.uint8)
        ids = np.empty(len(raw) + bool(append_eos), dtype=np.int32)
        ids[: len(raw)] = raw[::-1] if reverse_order else raw
        ids[: len(raw)] += self.byte_offset
        if append_eos:
            ids[-1] = self.eos()
        if consumer is not None:
            for i in ids[: len(raw)].tolist():
                consumer(self[i], i)
        return torch.from_numpy(ids)

    def truncate(self, ids, limit):
        """``ids`` cut to at most ``limit`` of them, ``</s>`` last.

        Args:
            ids (Tensor[T]): a sentence that ends with ``</s>``.
            limit (int): the cut is at the start of a UTF-8 character.

        Returns:
            Tensor[T']: of the same type, T' <= limit.
        """
        raw = cut_utf8(self.decode_bytes(ids), limit - 1)
        return self.encode_line(raw).to(ids)

    def decode_bytes(self, ids):
        """The bytes that ``ids`` stand for; special symbols stand for none.

        Args:
            ids (Tensor[T] or sequence of int): any integer type, any device.

        Returns:
            bytes
        """
        ids = torch.as_tensor(ids).reshape(-1).cpu().numpy()
        return (ids[ids >= self.byte_offset] - self.byte_offset).astype(np.uint8).tobytes()

    def decode(self, ids):
        """Text of ``ids``, the inverse of :meth:`encode_line`.

        Bytes that are not UTF-8 become U+FFFD; such sentences are counted in
        ``num_invalid_decoded`` and logged, never dropped.

        Args:
            ids (Tensor[T] or sequence of int): special symbols are skipped.

        Returns:
            str
        """
        raw = self.decode_bytes(ids)
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            self._count_invalid()
            return raw.decode("utf-8", "replace")

    def _count_invalid(self):
        self.num_invalid_decoded += 1
        n = self.num_invalid_decoded
        if n == 10 ** (len(str(n)) - 1):  # the 1st, 10th, 100th ... one
            logger.warning(
                "%d decoded sentence%s so far held bytes that are not UTF-8, "
                "shown as U+FFFD",
                n,
                "" if n == 1 else "s",
            )

    def string(
        self,
        tensor,
        bpe_symbol=None,
        escape_unk=False,
        extra_symbols_to_ignore=None,
        unk_string=None,
        include_eos=False,
        separator=" ",
    ):
        """Decoded text, so that fairseq prints and scores text.

        The arguments are fairseq's. ``bpe_symbol`` and ``separator`` have no
        meaning here: there are no subwords to join, and a text's own spaces
        are bytes like any other. A newline is shown as ``NEWLINE_SYMBOL``.

        Args:
            tensor (Tensor[T] or Tensor[N, T]): ids; N rows give N lines.

        Returns:
            str
        """
        if torch.is_tensor(tensor) and tensor.dim() == 2:
            rows = [
                self.string(
                    row,
                    escape_unk=escape_unk,
                    extra_symbols_to_ignore=extra_symbols_to_ignore,
                    unk_string=unk_string,
                    include_eos=include_eos,
                )
                for row in tensor
            ]
            return "\n".join(rows)

        ids = torch.as_tensor(tensor).reshape(-1).cpu()
        ignored = {self.bos(), self.eos(), *(extra_symbols_to_ignore or ())}
        if include_eos:
            ignored.discard(self.eos())
        shown = {
            self.bos(): self.bos_word,
            self.pad(): self.pad_word,
            self.eos(): self.eos_word,
            self.unk(): self.unk_string(escape_unk) if unk_string is None else unk_string,
        }
        parts, start = [], 0
        for i in (ids < self.byte_offset).nonzero().flatten().tolist():
            parts.append(self.decode(ids[start:i]))
            if int(ids[i]) not in ignored:
                parts.append(shown[int(ids[i])])
            start = i + 1
        parts.append(self.decode(ids[start:]))
        return "".join(parts).replace("\n", NEWLINE_SYMBOL)
