"""What is reported of labels."""

import json

import pytest

from fairseq_bytefusion.evaluation.confusion_plot import confusion_image
from fairseq_bytefusion.evaluation.labelling_report import (
    OTHERS,
    format_report,
    report_labels,
)

LABELS = ["B-A", "I-A", "O"]
GOLD = [["B-A", "I-A", "O"], [], ["O", "B-X"]]
PREDICTED = [["B-A", "O", "O"], [], ["O", "O"]]


def test_the_report_in_full():
    text = format_report(report_labels(GOLD, PREDICTED, LABELS))
    assert text.split("\n") == [
        "label              precision  recall      f1    gold  predicted",
        "B-A                   100.00  100.00  100.00       1          1",
        "I-A                     0.00    0.00    0.00       1          0",
        "O                      50.00  100.00   66.67       2          4",
        "(not in training)       0.00    0.00    0.00       1          0",
        "macro                  37.50   50.00   41.67",
        "micro                  60.00   60.00   60.00",
        "weighted               40.00   60.00   46.67",
        "",
        "accuracy 60.00 of 5",
        "spans: precision 0.00, recall 0.00, F1 0.00 (by the rules of conlleval)",
        "labels that training lacks, counted as wrong: B-X (1)",
        "",
        "gold \\ predicted      B-A     I-A       O",
        "B-A                     1       0       0",
        "I-A                     0       0       1",
        "O                       0       0       2",
        "(not in training)       0       0       1",
    ]


def test_json_holds_all_of_it():
    found = json.loads(json.dumps(report_labels(GOLD, PREDICTED, LABELS).as_dict()))
    assert found["total"] == 5
    assert found["accuracy"] == found["micro_f1"] == 60
    assert found["span_f1"] == 0
    assert found["labels"]["O"] == {
        **{"precision": 50, "recall": 100, "f1": pytest.approx(200 / 3)},
        **{"correct": 2, "predicted": 4, "support": 2},
    }
    assert found["not_in_training"] == {"B-X": 1}
    assert found["confusion"] == {
        "gold": [*LABELS, OTHERS],
        "predicted": LABELS,
        "counts": [[1, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 1]],
    }


def test_many_labels_have_a_list_of_confusions():
    labels = [f"L{i:02}" for i in range(30)]
    gold = [[label] for label in labels for _ in range(2)]
    report = report_labels(gold, [["L00"]] * 60, labels)
    blocks = format_report(report).split("\n\n")
    lines = blocks[-1].split("\n")
    assert lines[:2] == ["confused most often:", "     2  L01 taken for L00"]
    assert len(lines) == 22
    assert lines[-1] == "and 9 other confusions (--json has all)"
    assert "spans" not in blocks[1]
    right = format_report(report_labels(gold, gold, labels)).split("\n\n")
    assert right[-1] == "confused most often:\nnothing"


def test_spans_are_right_or_wrong_as_a_whole():
    gold = [["B-A", "I-A", "O", "B-A"]]
    report = report_labels(gold, [["I-A", "I-A", "O", "O"]], LABELS)
    assert report.spans == {
        "span_precision": 100,
        "span_recall": 50,
        "span_f1": pytest.approx(200 / 3),
    }


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ([["O"]], [["O", "O"]], "as many predicted labels as gold ones"),
        ([["O"]], [], "as many predicted labels as gold ones"),
        ([[], []], [[], []], "no label to compare with"),
        ([], [], "no label to compare with"),
    ],
)
def test_what_cannot_be_compared(gold, predicted, message):
    with pytest.raises(ValueError, match=message):
        report_labels(gold, predicted, LABELS)


@pytest.mark.parametrize(
    ("image_format", "head"), [("png", b"\x89PNG"), ("", b"\x89PNG"), ("svg", b"<?xml")]
)
def test_a_confusion_matrix_is_drawn(image_format, head):
    report = report_labels(GOLD, PREDICTED, LABELS)
    assert confusion_image(report, image_format).startswith(head)
    with pytest.raises(ValueError, match="abc"):
        confusion_image(report, "abc")
