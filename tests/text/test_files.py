import bz2
import gzip
import io
import logging
import lzma
import sys

import pytest

from fairseq_bytefusion.text.files import check_plain, encoding_of, open_text
from fairseq_bytefusion.text.lines import read_sentences

from ..data_prep.helpers import zstandard_compress

TEXT = "hällo wörld\n中 zweite 🙂\n"
WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
COMPRESSORS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard_compress,
}


def read(raw, **options):
    with open_text("in.txt", io.BytesIO(raw), **options) as file:
        return file.read()


@pytest.mark.parametrize("encoding", WIDE)
def test_a_mark_says_the_encoding(encoding):
    raw = ("\ufeff" + TEXT).encode(encoding)
    assert encoding_of(raw) == (encoding.upper(), len("\ufeff".encode(encoding)))
    assert read(raw).decode("utf-8-sig") == TEXT
    assert read(raw, recode=False) == raw
    with pytest.raises(ValueError, match=f"a.de is {encoding.upper()} text, not UTF-8: co"):
        check_plain(raw, "a.de")


@pytest.mark.parametrize("encoding", WIDE)
@pytest.mark.parametrize(
    "text", ["a\nb\n", "中文\n文\n", "中文\n", "two words", "one", "é\nü"]
)
def test_wide_text_without_a_mark_is_refused(encoding, text):
    raw = text.encode(encoding)
    assert encoding_of(raw) == (encoding.upper(), 0)
    name = encoding.upper().replace("-LE", "LE").replace("-BE", "BE")
    with pytest.raises(ValueError, match=rf"in.txt is .*\(iconv -f {name} -t UTF-8\)"):
        read(raw)


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"\0", b"abc\0", b"a\0b", b"a\0\nb\n", b"a\n\0b\nc\n", b"a b\0c"),
        *(b"a\0b\x1a\n\0", b"ab\n\0", b"\0\0\0\0", b"\n\0a", b"a\n" * 99 + b"\0\n"),
        *(b"\xef\xbb\xbfa\0\n", b"BZh1 is how bzip2 begins", b"\xfe\n", b"PK\n"),
    ],
)
def test_text_stays_text(raw):
    assert encoding_of(raw) is None
    assert read(raw) == raw
    check_plain(raw, "in.txt")


def test_half_a_surrogate_pair_is_no_utf8_and_loses_nothing_else():
    raw = "\ufeffa\nb\n".encode("utf-16-le").replace(b"b\0", b"\x3d\xd8")
    assert read(raw) == b"\xef\xbb\xbfa\n\xed\xa0\xbd\n"


def test_wide_text_that_is_cut_short():
    with pytest.raises(ValueError, match="in.txt is damaged or cut short .*truncated"):
        read("\ufeffabc".encode("utf-16-le")[:-1])


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_content_says_how_it_is_compressed(kind, caplog):
    compress, text = COMPRESSORS[kind], TEXT.encode() * 30_000
    whole = compress(text)
    assert read(whole) == text
    assert read(compress(b"")) == b""
    assert read(whole + compress(b"") + whole + b"\0" * 600) == text * 2
    assert not caplog.records
    with caplog.at_level(logging.WARNING):
        assert read(whole + b"\0rest" * 500) == text
    assert f"in.txt: bytes behind the {kind} stream are left out" in caplog.text
    with pytest.raises(ValueError, match="in.txt is damaged or cut short"):
        read(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="in.txt is damaged or cut short"):
        read(whole[:-2])
    with pytest.raises(ValueError, match="in.txt is compressed twice"):
        read(compress(whole))
    assert read(compress(("\ufeff" + TEXT).encode("utf-16-be"))).decode("utf-8-sig") == TEXT
    with pytest.raises(
        ValueError, match=rf"a.de is compressed \({kind}\) .*unpack it with"
    ):
        check_plain(whole, "a.de")


@pytest.mark.parametrize("window_log", [10, 28, 31])
def test_zstd_of_any_window(window_log):
    zstandard = pytest.importorskip("zstandard")
    parameters = zstandard.ZstdCompressionParameters.from_level(1, window_log=window_log)
    stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    assert read(stream.compress(TEXT.encode()) + stream.flush()).decode() == TEXT


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(
        ValueError, match="in.txt is .* zstd.*pip install zstandard, or unp"
    ):
        read(b"\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00")


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"PK\x03\x04rest", "a zip archive"),
        (b"x" * 257 + b"ustar\x0000", "a tar archive"),
        (gzip.compress(b"x" * 257 + b"ustar  \0", mtime=0), "a tar archive"),
        (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
        (b"Rar!\x1a\x07\0", "a RAR archive"),
        (b"\x04\x22\x4d\x18", "compressed with lz4"),
        (b"\x1f\x9d\x90", "compressed with compress"),
    ],
)
def test_archives_are_no_text(raw, what):
    with pytest.raises(ValueError, match=f"in.txt is {what}, not text: unpack it first"):
        read(raw)


@pytest.mark.parametrize("raw", [TEXT.encode("utf-16"), TEXT.encode("utf-16-le")])
def test_streams_are_refused(tmp_path, raw):
    (tmp_path / "in.txt").write_bytes(raw)
    match = "in.txt is UTF-16-LE text"
    with open(tmp_path / "in.txt", "rb") as file, pytest.raises(ValueError, match=match):
        next(read_sentences(file))
    with pytest.raises(ValueError, match="the text is compressed"):
        next(read_sentences(io.BytesIO(gzip.compress(raw))))
