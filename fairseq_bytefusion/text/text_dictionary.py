"""What the dictionaries of all units share: raw text in, raw text out."""

import logging

import numpy as np
import torch
from fairseq.data import Dictionary

logger = logging.getLogger(__name__)

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


class TextDictionary(Dictionary):
    """``<s> <pad> </s> <unk>`` = 0..3, then the symbols of a unit, then language tags.

    A unit defines ``unit``, ``plural``, ``filename`` (with ``{}`` for the language, None
    where it reads no file), ``symbol_ids(raw: bytes) -> int array`` and
    ``decode_bytes(ids) -> bytes``, adds its symbols and calls :meth:`fix`.
    """

    #: the name given to ``--source-unit``, and what messages call its symbols
    unit = plural = None
    filename = None
    #: whether whitespace is a symbol of its own: words can be told apart
    spaces_apart = True

    def __init__(self):
        self._is_fixed = False
        super().__init__()
        #: path of the vocabulary file and SHA-256 of its content; None without one
        self.path = self.digest = None
        #: language -> id of its tag
        self.tags = {}
        #: how many decoded sentences were not UTF-8, since construction
        self.num_invalid_decoded = 0

    def fix(self):
        """No symbol of text is added from here on."""
        self._is_fixed = True
        self._num_text_symbols = len(self)

    def set_tags(self, langs):
        """Let the symbols behind those of text be tags, one a language, and no others.

        Args:
            langs (list of str): different codes.
        """
        end = self._num_text_symbols
        for symbol in self.symbols[end:]:
            del self.indices[symbol]
        del self.symbols[end:], self.count[end:]
        for lang in langs:
            # No symbol of any unit holds a space.
            super().add_symbol(f"language {lang}")
        self.tags = {lang: end + i for i, lang in enumerate(langs)}

    def add_symbol(self, word, n=1, overwrite=False):
        """As in fairseq, but refuses symbols that are not there already.

        Raises:
            ValueError: ``word`` is new.
        """
        if self._is_fixed and word not in self.indices:
            raise ValueError(
                f"cannot add the symbol {word!r}: a {self.unit} dictionary is fixed at "
                f"{len(self)} symbols"
            )
        return super().add_symbol(word, n, overwrite)

    def finalize(self, threshold=-1, nwords=-1, padding_factor=8):
        """Nothing to do: the order is fixed and no symbol is ever dropped."""

    def pad_to_multiple_(self, padding_factor):
        """Nothing to do: fillers such as ``madeupword0000`` are not text."""

    def encode_line(
        self,
        line,
        line_tokenizer=None,
        add_if_not_exist=False,
        consumer=None,
        append_eos=True,
        reverse_order=False,
    ):
        """Ids of the symbols of ``line``, spaces included.

        Args:
            line (str or bytes): raw text; ``</s>`` or ``<pad>`` in it are
                ordinary text.
            line_tokenizer, add_if_not_exist: part of fairseq's signature, without
                meaning for raw text.
            consumer (callable, optional): called with ``(symbol, id)`` per symbol.
            append_eos (bool): end with ``</s>``.
            reverse_order (bool): last symbol first.

        Returns:
            IntTensor[T]: T = number of symbols, plus one with ``append_eos``.

        Raises:
            TypeError: ``line`` is neither ``str`` nor ``bytes``.
        """
        symbols = self.symbol_ids(encode_utf8(line))
        ids = np.empty(len(symbols) + bool(append_eos), dtype=np.int32)
        ids[: len(symbols)] = symbols[::-1] if reverse_order else symbols
        if append_eos:
            ids[-1] = self.eos()
        if consumer is not None:
            for i in ids[: len(symbols)].tolist():
                consumer(self[i], i)
        return torch.from_numpy(ids)

    def symbol_ids(self, raw):
        """int array [T] of the symbols of ``raw`` (bytes), ``<unk>`` for unknown ones."""
        raise NotImplementedError

    def decode_bytes(self, ids):
        """The bytes that ``ids`` stand for; special symbols and tags stand for none.

        Args:
            ids (Tensor[T] or sequence of int): any integer type, any device.

        Returns:
            bytes
        """
        raise NotImplementedError

    def truncate(self, ids, limit):
        """``ids`` cut to at most ``limit`` of them, ``</s>`` last.

        Args:
            ids (Tensor[T]): a sentence that ends with ``</s>``.
            limit (int): the cut is at the start of a UTF-8 character.

        Returns:
            Tensor[T']: of the same type, T' <= limit.
        """
        if len(ids) <= limit:
            return ids
        return torch.cat([ids[: limit - 1], ids.new_tensor([self.eos()])])

    def decode(self, ids):
        """Text of ``ids``, the inverse of :meth:`encode_line`.

        Bytes that are not UTF-8 become U+FFFD; such sentences are counted in
        ``num_invalid_decoded`` and logged, never dropped.

        Args:
            ids (Tensor[T] or sequence of int): special symbols and tags are skipped.

        Returns:
            str
        """
        return self.without_prefix(self._decode_part(ids))

    def without_prefix(self, text):
        """``text`` without what the unit puts before every sentence: for most, nothing."""
        return text

    def _decode_part(self, ids):
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

        The arguments are fairseq's. ``bpe_symbol`` and ``separator`` have no meaning
        here: a unit joins its own symbols, and a text's spaces are among them. Tags
        are not text and are not shown. A newline is shown as ``NEWLINE_SYMBOL``.

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
        for i in (ids < self.nspecial).nonzero().flatten().tolist():
            parts.append(self._decode_part(ids[start:i]))
            if int(ids[i]) not in ignored:
                parts.append(shown[int(ids[i])])
            start = i + 1
        parts.append(self._decode_part(ids[start:]))
        return self.without_prefix("".join(parts)).replace("\n", NEWLINE_SYMBOL)
