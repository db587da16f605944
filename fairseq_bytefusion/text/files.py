"""What a file of text holds, whatever its name: plain UTF-8, UTF-16, compressed text.

The package is not imported here: data_prep takes this file and ``encoding`` without it.
"""

import bz2
import codecs
import io
import itertools
import logging
import lzma
import re
import zlib

from .encoding import HEAD_BYTES, encoding_of

logger = logging.getLogger(__name__)

_CHUNK_BYTES = 1 << 16

# What a file begins with, and the command that unpacks it.
_COMPRESSED = {
    "gzip": (re.compile(rb"\x1f\x8b\x08"), "gunzip"),
    # With its first block, or its end: a text may begin with BZh1 as well.
    "bzip2": (re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), "bunzip2"),
    "xz": (re.compile(rb"\xfd7zXZ\0"), "unxz"),
    "zstd": (re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), "unzstd"),
}
_ARCHIVES = {
    "a zip archive": re.compile(rb"PK(\x03\x04|\x05\x06)"),
    "a tar archive": re.compile(rb"(?s).{257}ustar(\0|  \0)"),
    "a 7-Zip archive": re.compile(rb"7z\xbc\xaf\x27\x1c"),
    "a RAR archive": re.compile(rb"Rar!\x1a\x07"),
    "compressed with lz4": re.compile(rb"\x04\x22\x4d\x18"),
    "compressed with compress": re.compile(rb"\x1f[\x9d\xa0]"),
}
_MAGIC_BYTES = 265
_UNPACK_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError)


def compression_of(head):
    """``gzip``, ``bzip2``, ``xz`` or ``zstd`` by the first bytes of a file, else None."""
    return next((k for k, (magic, _) in _COMPRESSED.items() if magic.match(head)), None)


def check_plain(head, path):
    """Refuse what is no plain UTF-8 where a text is used as it lies.

    Args:
        head (bytes): the first ``HEAD_BYTES`` of it, or what there is of it.
        path (str): for the message.

    Raises:
        ValueError: it is compressed, an archive, UTF-16 or UTF-32.
    """
    if kind := compression_of(head):
        raise ValueError(
            f"{path} is compressed ({kind}) and is read as it lies: unpack it with "
            f"{_COMPRESSED[kind][1]}"
        )
    _refuse_archive(head, path)
    if found := encoding_of(head):
        raise _not_utf8(path, found[0])


def _not_utf8(path, encoding):
    name = encoding.replace("-LE", "LE").replace("-BE", "BE")
    return ValueError(
        f"{path} is {encoding} text, not UTF-8: convert it (iconv -f {name} -t UTF-8)"
    )


def _refuse_archive(head, path):
    for what, magic in _ARCHIVES.items():
        if magic.match(head):
            raise ValueError(f"{path} is {what}, not text: unpack it first")


def open_text(path, file=None, recode=True):
    """The text of a file that is only read: unpacked where it is compressed, as UTF-8.

    What of a text in UTF-16 or UTF-32 is no character becomes bytes that are not UTF-8.

    Args:
        path (str): for opening and for messages.
        file (binary file, optional): read this instead of opening ``path``.
        recode (bool): without, a text in UTF-16 or UTF-32 is given as it is.

    Returns:
        io.BufferedReader: closes the file, too.

    Raises:
        OSError: it cannot be read.
        ValueError: an archive; UTF-16 or UTF-32 without a byte-order mark; compressed
            with zstd, and the package zstandard is missing. Reading raises it where the
            file is damaged or cut short.
    """
    file = open(path, "rb") if file is None else file  # noqa: SIM115  (the reader closes it)
    try:
        chunks = iter(lambda: file.read(_CHUNK_BYTES), b"")
        head, chunks = _peek(chunks, _MAGIC_BYTES)
        if kind := compression_of(head):
            head, chunks = _peek(_unpacked(chunks, kind, path), _MAGIC_BYTES)
            if compression_of(head):
                raise ValueError(f"{path} is compressed twice: unpack it first")
        _refuse_archive(head, path)
        if recode:
            chunks = _as_utf8(chunks, path)
    except BaseException:
        file.close()
        raise
    return io.BufferedReader(_Chunks(chunks, file), _CHUNK_BYTES)


def _peek(chunks, size):
    """``size`` bytes or more, fewer where there are not so many, and all the chunks."""
    taken, length = [], 0
    for chunk in chunks:
        taken.append(chunk)
        length += len(chunk)
        if length >= size:
            break
    return b"".join(taken), itertools.chain(taken, chunks)


class _Chunks(io.RawIOBase):
    """Chunks (iterator of bytes) as a file."""

    def __init__(self, chunks, file):
        self._chunks, self._file, self._chunk = chunks, file, memoryview(b"")

    def readable(self):
        return True

    def readinto(self, buffer):
        while not self._chunk:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._chunk = memoryview(chunk)
        size = min(len(buffer), len(self._chunk))
        buffer[:size], self._chunk = self._chunk[:size], self._chunk[size:]
        return size

    def close(self):
        if not self.closed:
            self._file.close()
        super().close()


def damaged(path, error):
    """The ValueError for a file that cannot be unpacked or parsed."""
    return ValueError(
        f"{path} is damaged or cut short ({error}): download it again, then rerun"
    )


def _unpacked(chunks, kind, path):
    """The content of a compressed file: all its streams, one after the other.

    As gunzip does, NULs behind a stream are padding and other bytes are left out with a
    warning.
    """
    make, errors = _decompressor(kind, path)
    rest = b""
    while True:
        decoder, data = make(), rest
        while not decoder.eof:
            data = data or next(chunks, b"")
            if not data:
                raise damaged(path, f"the {kind} stream has no end")
            try:
                unpacked, data = decoder.decompress(data), b""
            except errors as error:
                raise damaged(path, error) from error
            if unpacked:
                yield unpacked
        rest = decoder.unused_data.lstrip(b"\0")
        while len(rest) < _MAGIC_BYTES and (chunk := next(chunks, b"")):
            rest = (rest + chunk).lstrip(b"\0")
        if compression_of(rest) != kind:
            break
    if rest:
        logger.warning("%s: bytes behind the %s stream are left out", path, kind)


def _decompressor(kind, path):
    if kind != "zstd":
        make = {
            "gzip": lambda: zlib.decompressobj(16 + zlib.MAX_WBITS),
            "bzip2": bz2.BZ2Decompressor,
            "xz": lzma.LZMADecompressor,
        }[kind]
        return make, _UNPACK_ERRORS
    try:
        import zstandard
    except ImportError as error:
        raise ValueError(
            f"{path} is compressed with zstd, which needs the package zstandard: pip "
            f"install zstandard, or unpack it with {_COMPRESSED[kind][1]}"
        ) from error
    # Of zstd --long=31 as well: each takes the memory that its own window needs.
    decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 31)
    return decompressor.decompressobj, (zstandard.ZstdError,)


def _as_utf8(chunks, path):
    head, chunks = _peek(chunks, HEAD_BYTES)
    found = encoding_of(head[:HEAD_BYTES])
    if found is None:
        return chunks
    encoding, mark = found
    if not mark:
        raise _not_utf8(path, encoding)
    return _recoded(chunks, encoding, path)


def _recoded(chunks, encoding, path):
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    try:
        for chunk in chunks:
            yield decoder.decode(chunk).encode("utf-8", "surrogatepass")
        decoder.decode(b"", True)
    except UnicodeError as error:
        raise damaged(path, error) from error
