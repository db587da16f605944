import gzip
import zipfile

import pytest

from .helpers import lines_of, recorded, run_prepare, write

GREETING = (b"hallo", b"hello")


def folder_of(tmp_path, files):
    """Write files given as name -> lines; names that end with .gz are gzipped."""
    for name, lines in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, lines)
        if name.endswith(".gz"):
            path.write_bytes(gzip.compress(path.read_bytes()))
    return tmp_path


MULTI = {
    **{"train.xx.gz": ["hallo"], "train.en.gz": ["hello"], "train.de.gz": ["servus"]},
    **{"dev.xx": ["a"], "dev.en": ["b"], "devtest.xx.gz": ["c"], "devtest.en": ["d"]},
    **{"README.md": ["x"], "train.ref.gz": ["id"]},
}
PAIRWISE = {
    "train.xx-en.xx": ["hallo"],
    "train.xx-en.en": ["hello"],
    "train.xx-de.xx": ["?"],
}
SWAPPED = {"train.en-xx.xx.gz": ["hallo"], "train.en-xx.en.gz": ["hello"]}


@pytest.mark.parametrize(
    "files, splits",
    [(MULTI, {"train": 1, "valid": 1, "test": 1}), (PAIRWISE, {"train": 1})]
    + [(SWAPPED, {"train": 1})],
)
def test_folder(tmp_path, files, splits):
    stats = run_prepare(tmp_path / "out", "--folder", folder_of(tmp_path / "in", files))
    assert stats["splits"] == splits
    assert lines_of(tmp_path / "out") == [GREETING]


@pytest.mark.parametrize(
    "files, message",
    [
        ({"train.de": ["a"]}, "no files of both xx and en; it holds: train.de. Give the"),
        ({}, "it holds: nothing"),
        ({"train.xx": ["a"]}, "train.xx has no other half in en"),
        ({"train.xx": ["a"], "train.xx.gz": ["a"]}, "two files for the train split of xx"),
        ({"dev.xx": ["a"], "valid.xx": ["a"]}, "two files for the valid split of xx"),
    ],
)
def test_folders_that_lack_something(tmp_path, files, message):
    (tmp_path / "in").mkdir()
    with pytest.raises(ValueError, match=message):
        run_prepare(tmp_path / "out", "--folder", folder_of(tmp_path / "in", files))


def test_codes_of_the_input(tmp_path):
    inner = folder_of(tmp_path / "in", {"train.x-Latn": ["hallo"], "train.eng": ["hello"]})
    flags = "--source-code", "x-Latn", "--target-code", "eng"
    run_prepare(tmp_path / "out", "--folder", inner, *flags)
    assert lines_of(tmp_path / "out") == [GREETING]


@pytest.mark.parametrize("codes", [("deu", "eng"), ("deu_Latn", "eng_Latn")])
def test_flores(tmp_path, codes):
    files = {}
    for split, lines in (("dev", ["hallo", ""]), ("devtest", ["hallo"])):
        for code in codes:
            files[f"{split}/{code}.{split}"] = lines
    folder = folder_of(tmp_path / "in", files)
    flags = "--source-code", codes[0], "--target-code", codes[1]
    stats = run_prepare(tmp_path / "out", "--flores", folder, *flags)
    assert stats["splits"] == {"valid": 2, "test": 1}
    with pytest.raises(ValueError, match="no files of both xx and en; it holds: deu"):
        run_prepare(tmp_path / "other", "--flores", folder)


@pytest.mark.parametrize(
    "columns, expected",
    [("1,2", (b"1", b"hallo")), ("2,3", GREETING), ("3,2", GREETING[::-1])],
)
def test_tsv(tmp_path, columns, expected):
    path = tmp_path / "in.tsv"
    path.write_bytes(b"\xef\xbb\xbf1\thallo\thello\r\nonly one\r\n\r\n")
    stats = run_prepare(tmp_path / "out", "--tsv", path, "--columns", columns)
    # A mark before the first column is no part of it.
    assert lines_of(tmp_path / "out") == [expected]
    assert stats["reasons"]["malformed"] == 2
    assert stats["read"] == 3


TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="xx"><prop>x</prop></header><body>
<tu><tuv xml:lang="xx"><seg>a &amp; b &lt; c&#10;d &#x263A;</seg></tuv>
    <tuv xml:lang="en"><seg>
       one <bpt i="1">&lt;b&gt;</bpt>two</seg></tuv></tu>
<tu><tuv xml:lang="XX-at"><seg>hallo</seg></tuv><tuv lang="EN_us"><seg>hello</seg></tuv>
    <tuv xml:lang="en-GB"><seg>another</seg></tuv></tu>
<tu><tuv xml:lang="xx"><seg>allein</seg></tuv></tu>
<tu><tuv xml:lang="xx"><seg/></tuv><tuv xml:lang="en"><seg>x</seg></tuv></tu>
</body></tmx>
"""


@pytest.mark.parametrize("name", ["in.tmx", "in.tmx.gz"])
def test_tmx(tmp_path, name):
    folder_of(tmp_path, {name: [TMX]})
    stats = run_prepare(tmp_path / "out", "--tmx", tmp_path / name)
    text = "a & b < c d \N{WHITE SMILING FACE}".encode(), b"one two"
    assert lines_of(tmp_path / "out") == [text, GREETING]
    assert (stats["reasons"]["malformed"], stats["reasons"]["empty"]) == (1, 1)


@pytest.mark.parametrize(
    "text, message",
    [
        (TMX[:500], "in.tmx is not well-formed TMX .*line 10"),
        (TMX.replace("&amp;", "&nbsp;"), "in.tmx is not well-formed TMX .undefined entity"),
        ("", "in.tmx is not well-formed TMX .no element"),
        ("<tmx><body/></tmx>", "no sentence pair in .*in.tmx"),
        (
            TMX.replace("xx", "yy").replace("XX", "YY"),
            "in.tmx has nothing in xx; it has EN_us, YY-at, en, en-GB, yy: say how",
        ),
        ("<tmx><tu><tuv><seg>a</seg></tuv></tu></tmx>", "in xx; it has no xml:lang: say"),
    ],
)
def test_tmx_that_cannot_be_read(tmp_path, text, message):
    (tmp_path / "in.tmx").write_text(text)
    with pytest.raises(ValueError, match=message):
        run_prepare(tmp_path / "out", "--tmx", tmp_path / "in.tmx")


CODES = """<tmx version="1.4"><body><tu><tuv xml:lang="zh_CN"><seg>a<bpt i="1">&lt;b&gt;<sub
type="x">[sub]</sub>none</bpt><hi>h<ph>none</ph>i</hi><ept i="1">none</ept><it pos="begin"
>none</it><ut>none</ut><g id="1">g</g><mrk>m<it>none</it></mrk>z</seg></tuv>
<tuv xml:lang="EN"><seg>\u4e2d</seg></tuv></tu></body></tmx>"""


@pytest.mark.parametrize("code", ["zh-CN", "zh_cn", "zh", "ZH"])
def test_codes_of_tmx_are_no_text(tmp_path, code):
    (tmp_path / "in.tmx").write_text(CODES, "utf-8")
    flags = "--tmx", tmp_path / "in.tmx", "--source-code", code
    run_prepare(tmp_path / "out", *flags)
    assert lines_of(tmp_path / "out") == [(b"a[sub]higmz", "\u4e2d".encode())]


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        *(("utf8", "utf-8"), ("UTF-8", "utf-8-sig"), ("utf-16", "utf-16"), ("", "utf-16")),
        *(("gb2312", "gb2312"), ("Shift_JIS", "shift_jis"), ("Big5", "big5")),
        *(("UTF-16LE", "utf-16-le"), ("utf-16", "utf-8"), ("utf-8", "utf-32")),
    ],
)
def test_encodings_of_tmx(tmp_path, declared, encoding):
    head = f'<?xml version="1.0" encoding="{declared}"?>\n' if declared else ""
    (tmp_path / "in.tmx").write_bytes((head + CODES).encode(encoding))
    flags = "--tmx", tmp_path / "in.tmx", "--source-code", "zh"
    run_prepare(tmp_path / "out", *flags)
    assert lines_of(tmp_path / "out") == [(b"a[sub]higmz", "\u4e2d".encode())]


@pytest.mark.parametrize(
    ("declared", "content", "message"),
    [
        ("klingon", b"", 'in.tmx declares encoding="klingon", which Python does not know'),
        ("hex", b"", 'in.tmx declares encoding="hex", which Python does not know'),
        ("ascii", b"\n\xff", r"in.tmx, line 3, is not the ascii that it declares .encod"),
        ("utf8", b"\xff", r"in.tmx, line 2, is not the utf-8 that it declares .encod"),
    ],
)
def test_encodings_of_tmx_that_cannot_be_read(tmp_path, declared, content, message):
    head = f'<?xml version="1.0" encoding="{declared}"?>\n<tmx>'.encode()
    (tmp_path / "in.tmx").write_bytes(head + content)
    with pytest.raises(ValueError, match=message):
        run_prepare(tmp_path / "out", "--tmx", tmp_path / "in.tmx")


def zip_of(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_moses_zip(tmp_path):
    members = {"LICENSE": "x", "B.xx-en.xx": "hallo\r\n", "B.xx-en.en": "hello\r\n"}
    members |= {"A.ids": "1\n", "B.xx-en/": "", ".DS_Store": "x"}
    members |= {"__MACOSX/._B.xx-en.xx": "\0x\n", "__MACOSX/._B.xx-en.en": "\0y\n"}
    members |= {"._C.xx": "\0x\n", "._C.en": "\0y\n"}
    path = zip_of(tmp_path / "in.zip", members)
    run_prepare(tmp_path / "out", "--moses-zip", path)
    assert lines_of(tmp_path / "out") == [GREETING]


@pytest.mark.parametrize("folder", ["./", "/", "d/./", "a b:c/", "__MACOSXX/"])
def test_folders_in_a_zip(tmp_path, folder):
    members = {f"{folder}B.xx": "hallo\n", f"{folder}B.en": "hello\n"}
    run_prepare(tmp_path / "out", "--moses-zip", zip_of(tmp_path / "in.zip", members))
    assert lines_of(tmp_path / "out") == [GREETING]


def test_a_zip_of_several_pairs(tmp_path):
    members = {"B.xx-en.xx": "hallo\n", "B.xx-en.en": "hello\n", "A.xx": "erst\n"}
    path = zip_of(tmp_path / "in.zip", {**members, "d/A.xx": "a\n", "d/A.en": "b\n"})
    one = f"--moses-zip {path}/B.xx-en"
    with pytest.raises(ValueError, match=f"several pairs of files, B.xx-en, d/A.*{one}"):
        run_prepare(tmp_path / "out", "--moses-zip", path)
    run_prepare(tmp_path / "out", *one.split())
    assert lines_of(tmp_path / "out") == [GREETING]
    run_prepare(tmp_path / "both", *one.split(), "--moses-zip", path / "d/A")
    assert lines_of(tmp_path / "both") == [GREETING, (b"a", b"b")]
    assert recorded(tmp_path / "both")["inputs"] == [[one.split()[1]], [f"{path}/d/A"]]
    with pytest.raises(ValueError, match="in.zip/A has no files of both xx and en"):
        run_prepare(tmp_path / "out", "--moses-zip", path / "A")


@pytest.mark.parametrize(
    ("flag", "method", "message"),
    [
        (1, 8, "in.zip: A.xx is encrypted: unpack it yourself, and give the files with"),
        (0, 9, "in.zip: A.xx is compressed by method 9, which Python cannot read: unpack"),
    ],
)
def test_zips_that_python_cannot_read(tmp_path, flag, method, message):
    path = zip_of(tmp_path / "in.zip", {"A.xx": "hallo\n", "A.en": "hello\n"})
    raw = bytearray(path.read_bytes())
    for start in (0, raw.index(b"PK\x01\x02") + 2):  # its own header, the directory's
        raw[start + 6], raw[start + 8] = flag, method
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=message):
        run_prepare(tmp_path / "out", "--moses-zip", path)
    assert not (tmp_path / "out").exists()


def test_damaged_zips(tmp_path):
    path = zip_of(tmp_path / "in.zip", {"A.xx": "hallo\n" * 999, "A.de": "x\n"})
    with pytest.raises(
        ValueError, match="no files of both xx and en; it holds: A.de, A.xx"
    ):
        run_prepare(tmp_path / "out", "--moses-zip", path)
    path = zip_of(path, {"A.xx": b"hallo\n" * 999, "A.en": b"hello\n" * 999})
    raw = path.read_bytes()
    for damaged in (raw[:-40], raw[:45] + b"\0\0" + raw[47:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="in.zip.* is damaged .*download it again"):
            run_prepare(tmp_path / "out", "--moses-zip", path)


def test_inputs_are_read_in_the_order_given(tmp_path):
    tsv = write(tmp_path / "a.tsv", ["a\tb"])
    pair = write(tmp_path / "p.xx", ["c"]), write(tmp_path / "p.en", ["d"])
    run_prepare(tmp_path / "out", "--tsv", tsv, "--pair", *pair, "--tsv", tsv)
    assert lines_of(tmp_path / "out") == [(b"a", b"b"), (b"c", b"d")]
