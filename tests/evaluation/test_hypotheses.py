import pytest

from fairseq_bytefusion.evaluation import read_hypotheses, read_lines


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"", []),
        (b"a\nb\n", ["a", "b"]),
        (b"a\n\nb", ["a", "", "b"]),
        (b"\xef\xbb\xbfa\r\nb\rc\n", ["a", "b\rc"]),
        ("a\u2028b\x85c\vd\fe\x1c\n".encode(), ["a\u2028b\x85c\vd\fe\x1c"]),
    ],
)
def test_only_newlines_end_lines(tmp_path, raw, lines):
    path = tmp_path / "text"
    path.write_bytes(raw)
    assert read_lines(str(path)) == lines
    assert read_hypotheses(str(path)).texts == lines


def test_broken_utf8_is_counted(tmp_path, caplog):
    path = tmp_path / "text"
    path.write_bytes(b"caf\xe9\n" + "\ufffd\n".encode())
    assert read_lines(str(path)) == ["caf\ufffd", "\ufffd"]
    assert "1 of 2 lines are not UTF-8" in caplog.text


LOG = """2026-01-01 | INFO | fairseq_cli.generate | loading
S-1\tsource one
T-1\treference one
H-1\t-0.5\thypothesis\tone \r end
D-1\t-0.5\thypothesis\tone \r end
P-1\t-0.1 -0.2
D-1\t-0.9\tsecond best
S-0\t
T-0\t
H-0\t0.0\t
D-0\t0.0\t
S-2\tD-0\t-1.0\ttrick
T-2\treference two
H-2\t-1.5e-05\ttwo
D-2\t-1.5e-05\ttwo
Generate test with beam=5: BLEU = 1
"""


def test_a_log_is_read_in_sentence_order(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(LOG.encode())
    found = read_hypotheses(str(path))
    assert found.texts == ["", "hypothesis\tone \r end", "two"]
    assert found.references == ["", "reference one", "reference two"]
    assert found.sources == ["", "source one", "D-0\t-1.0\ttrick"]


def test_a_log_without_references(tmp_path):
    path = tmp_path / "log"
    path.write_text("D-0\t-1.0\ta\n")
    assert read_hypotheses(str(path)).references is None


def test_a_log_with_a_gap_is_an_error(tmp_path):
    path = tmp_path / "log"
    path.write_text("D-0\t-1.0\ta\nD-3\t-1.0\tb\n")
    with pytest.raises(ValueError, match=r"lacks 2 of 4 sentences \(D- lines 1, 2\)"):
        read_hypotheses(str(path))
    path.write_text("T-0\ta\nD-0\t-1.0\ta\nT-1\tb\n")
    with pytest.raises(ValueError, match=r"lacks 1 of 2 sentences \(D- lines 1\)"):
        read_hypotheses(str(path))
    path.write_text("T-0\ta\nD-0\t-1.0\ta\nD-1\t-1.0\tb\n")
    with pytest.raises(ValueError, match=r"lacks 1 of 2 sentences \(T- lines 1\)"):
        read_hypotheses(str(path))


def test_text_that_looks_like_other_log_lines_is_plain(tmp_path):
    path = tmp_path / "text"
    path.write_text("S-1\tsnow\nD-Day\nD-2\tnot scored\n")
    assert read_hypotheses(str(path)).texts == ["S-1\tsnow", "D-Day", "D-2\tnot scored"]


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_lines(str(tmp_path / "nothing"))
