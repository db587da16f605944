import pytest

from fairseq_bytefusion.evaluation.hypotheses import Hypotheses
from fairseq_bytefusion.evaluation.same_test_set import check_same_test_set

SOURCES = ["Es regnet.", "", "Ich &apos;s", "… !"]
REFERENCES = ["It rains.", "", "I", "… !"]


def plain(count=4):
    return Hypotheses("plain", ["x"] * count)


def log(sources=SOURCES, references=REFERENCES, name="log"):
    return Hypotheses(name, ["x"] * len(sources), sources, references)


@pytest.mark.parametrize(
    "read",
    [
        [plain(), plain()],
        [log(), plain()],
        [plain(), log(), log()],
        [log(), log(["Es regnet .", "", "Ich &apos;s", "...!"])],  # tokenised
        [log(references=["It rains.", "", "<<unk>>", "..."])],
        [log(references=None), log(references=None)],
        [log(["", "", "", "!"]), log(["", "", "", "?"])],  # nothing to tell them by
    ],
)
def test_of_one_test_set(caplog, read):
    check_same_test_set(read, {"ref": REFERENCES})
    assert caplog.text == ""


def test_a_source_that_was_cut_is_logged(caplog):
    cut = ["Es", *SOURCES[1:]]
    check_same_test_set([log(), log(cut, name="b.log")], {"ref": REFERENCES})
    message = "1 of 4 sources of b.log are not those of log, sentence 0 first: 'Es' and"
    assert message in caplog.text


OTHERS = ["Sie geht.", "", "Wir", "?"]


@pytest.mark.parametrize(
    ("read", "message"),
    [
        ([plain(3)], "plain has 3 sentences, the reference ref has 4: they are of other"),
        ([log(), plain(5)], "plain has 5 sentences, the reference ref has 4"),
        (
            [log(), log(OTHERS, name="b")],
            "sources of b are not those of log, sentence 0 ",
        ),
        ([log(references=OTHERS)], "references of log are not those of ref, .*'Sie geht.'"),
        ([plain(), log(references=OTHERS)], "they are of other test sets"),
    ],
)
def test_of_another_test_set(read, message):
    with pytest.raises(ValueError, match=message):
        check_same_test_set(read, {"ref": REFERENCES})


def test_a_log_holds_one_of_several_references():
    read = [plain(), log(references=OTHERS)]
    check_same_test_set(read, {"ref": REFERENCES, "second": OTHERS})
    with pytest.raises(ValueError, match="references of log are not those of ref, "):
        check_same_test_set(read, {"ref": REFERENCES, "second": REFERENCES[::-1]})
    with pytest.raises(ValueError, match="4 sentences, the reference second has 3"):
        check_same_test_set(read, {"ref": REFERENCES, "second": OTHERS[:3]})
