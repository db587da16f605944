import pytest

from data_prep.few_shot import few_shot, main
from fairseq_bytefusion.text.lines import join_lines, raw_lines

from ..helpers import write_pair
from .helpers import everything, lines_of


def data_of(folder, count, names=("xx", "en")):
    folder.mkdir()
    sides = [f"satz {i}" for i in range(count)], [f"sentence {i}" for i in range(count)]
    write_pair(folder, "train", *sides, *names)
    write_pair(folder, "test", ["t"], ["u"], *names)
    return str(folder)


def test_samples_are_nested(tmp_path):
    data = data_of(tmp_path / "data", 60)
    folders = few_shot(data, "xx", "en", [40, 10, 20], str(tmp_path / "few"))
    samples = [lines_of(folder) for folder in folders]
    assert [len(sample) for sample in samples] == [10, 20, 40]
    assert samples[2][:20] == samples[1]
    assert samples[1][:10] == samples[0]
    assert set(samples[2]) < set(lines_of(data))
    assert len(set(samples[2])) == 40
    assert lines_of(folders[0], "test") == [(b"t", b"u")]
    assert not list(tmp_path.glob("few/10/valid*"))


def test_marks_of_a_file_are_not_sampled(tmp_path):
    data = data_of(tmp_path / "data", 9)
    path = tmp_path / "data/train.xx-en.xx"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    (folder,) = few_shot(data, "xx", "en", [9], str(tmp_path / "few"))
    assert sorted(lines_of(folder))[0] == (b"satz 0", b"sentence 0")


def test_a_sample_has_the_lines_of_the_text_whatever_they_hold(tmp_path):
    odd = [b"\xef\xbb\xbfa", b"b\r", b"\r\r", b"c\rd", b"caf\xe9", b"", b"\0"]
    paths = [tmp_path / f"data/train.xx-en.{lang}" for lang in ("xx", "en")]
    paths[0].parent.mkdir()
    for path in paths:
        path.write_bytes(join_lines(odd))
    for seed in range(5):
        few = str(tmp_path / str(seed))
        (folder,) = few_shot(str(paths[0].parent), "xx", "en", [len(odd)], few, seed)
        for path in paths:
            with open(f"{folder}/{path.name}", "rb") as file:
                assert sorted(raw_lines(file)) == sorted(odd)


def test_the_seed_decides(tmp_path):
    data = data_of(tmp_path / "data", 60)
    made = [
        everything(few_shot(data, "xx", "en", [20], str(tmp_path / name), seed)[0])
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    assert made[0] == made[1] != made[2]


def test_other_pairs_do_not_change_the_order(tmp_path):
    few, many = (data_of(tmp_path / str(n), n) for n in (50, 60))
    samples = [
        lines_of(few_shot(data, "xx", "en", [size], data + "-few")[0])
        for data, size in ((few, 50), (many, 60))
    ]
    assert samples[0] == [pair for pair in samples[1] if pair in samples[0]]


def test_files_named_the_other_way_round(tmp_path):
    data = data_of(tmp_path / "data", 9, ("en", "xx"))
    (folder,) = few_shot(data, "xx", "en", [9], str(tmp_path / "few"))
    assert sorted(lines_of(folder))[0] == (b"sentence 0", b"satz 0")[:2]


@pytest.mark.parametrize(
    "langs, size, message",
    [
        (
            ("xx", "en"),
            61,
            "has 60 pairs, too few for a sample of 61: give smaller --sizes",
        ),
        (
            ("yy", "en"),
            5,
            "has no train.yy-en.yy with its target side; it holds: test.xx-en",
        ),
    ],
)
def test_bad_input(tmp_path, langs, size, message):
    data = data_of(tmp_path / "data", 60)
    with pytest.raises((ValueError, OSError), match=message):
        few_shot(data, *langs, [size], str(tmp_path / "few"))
    assert not (tmp_path / "few").exists()


def test_command(tmp_path, capsys):
    data = data_of(tmp_path / "data", 60)
    main([data, "-s", "xx", "-t", "en", "--out", str(tmp_path / "few"), "--sizes", "3"])
    assert "few/3: 3 training pairs" in capsys.readouterr().out
