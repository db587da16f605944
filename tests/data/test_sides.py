import pytest

from fairseq_bytefusion.data import Side
from fairseq_bytefusion.text import ByteDictionary, CharDictionary


def tagged(*langs):
    dictionary = ByteDictionary()
    dictionary.set_tags(list(langs))
    return dictionary


def test_what_a_limit_leaves_of_the_text():
    assert Side(["de"], ByteDictionary()).num_specials == 1
    assert Side(["de"], ByteDictionary()).over(20) == "a sentence over 19 bytes"
    side = Side(["de"], tagged("de"), name="source")
    assert side.num_specials == 2
    assert side.over(20) == "a source over 18 bytes"
    assert Side(["de"], CharDictionary("ab")).over(20) == "a sentence over 19 characters"


@pytest.mark.parametrize(("limit", "lengths"), [(None, [5, 3]), (4, [4, 3])])
def test_lines_are_cut_for_text_and_tag_together(tmp_path, limit, lengths):
    path = tmp_path / "text"
    path.write_bytes(b"abc\na\n")
    side = Side(["de", "fr"], tagged("de", "fr"), limit)
    lines = side.tagged(side.open_lines(str(path)), "fr")
    assert lines.sizes.tolist() == [len(lines[i]) for i in range(2)] == lengths
    assert lines[1].tolist() == [261, 101, 2]


def test_without_tags_the_lines_are_themselves(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"abc\n")
    side = Side(["de"], ByteDictionary(), 4)
    lines = side.open_lines(str(path))
    assert side.tagged(lines, "de") is lines
    assert lines.sizes.tolist() == [4]
