"""The losses of labels, and the scores that validation makes of counts."""

import math

import pytest
import torch
from fairseq.logging import metrics

from fairseq_bytefusion.criterions.byte_classification import ByteClassificationCriterion
from fairseq_bytefusion.criterions.byte_tagging import ByteTaggingCriterion
from fairseq_bytefusion.criterions.labelling import label_losses, parse_weights
from fairseq_bytefusion.evaluation.spans import span_counts, span_f1
from fairseq_bytefusion.text.labelled_lines import NO_LABEL

from ..helpers import pad_batch
from ..models.labelling import LabelTask, label_model

LABELS = ["B-X", "I-X", "O"]


class Task(LabelTask):
    """What a criterion needs of its task."""

    label_counts = [2, 1, 3]

    def __init__(self, labels=LABELS):
        super().__init__(labels)

    def label_name(self, index):
        return [*self.labels, "B-NEW", "I-NEW"][index]


def sample_of(sentences, labels):
    """A batch of sentences (list of str) and their labels: lists of int, or int."""
    tokens = pad_batch(sentences)
    target = torch.tensor(labels) if isinstance(labels[0], int) else None
    if target is None:
        width = max(map(len, labels)) + 1
        target = torch.tensor([row + [NO_LABEL] * (width - len(row)) for row in labels])
    return {
        "id": torch.arange(len(sentences)),
        "net_input": {"src_tokens": tokens, "src_lengths": tokens.ne(1).sum(1)},
        "target": target,
        "ntokens": int(tokens.ne(1).sum()),
    }


def criterion(kind=ByteTaggingCriterion, smoothing=0.0, weights="none", task=None):
    return kind(task or Task(), smoothing, weights).eval()


def logged(kind, outputs):
    """dict of str to float: what fairseq logs of logging outputs."""
    with metrics.aggregate(new_root=True) as found:
        for output in outputs:
            kind.reduce_metrics([output])
    return found.get_smoothed_values()


SENTENCES, TARGET = ["kal alarm laga", "x"], [[2, 0, 1], [2]]


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
@pytest.mark.parametrize("weights", [None, torch.tensor([2.0, 0.5, 1.0])])
def test_losses_a_label_at_a_time(smoothing, weights):
    torch.manual_seed(1)
    scores, target = torch.randn(5, 3), [0, 2, 2, 1, 0]
    losses, plain = label_losses(
        scores.log_softmax(-1), torch.tensor(target), smoothing, weights
    )
    for row, label, loss, nll in zip(scores, target, losses, plain):
        logs = [math.log(p) for p in row.softmax(-1).tolist()]
        expected = -(1 - smoothing) * logs[label] - smoothing * sum(logs) / 3
        if weights is not None:
            expected *= weights[label].item()
        assert loss.item() == pytest.approx(expected, abs=1e-5)
        assert nll.item() == pytest.approx(-logs[label], abs=1e-5)


WEIGHTS = {
    "none": None,
    "balanced": [1.0, 2.0, 2 / 3],  # of 2, 1 and 3 words
    "O=0.5": [1.0, 1.0, 0.5],
    "I-X=3,B-X=0": [0.0, 3.0, 1.0],
}


@pytest.mark.parametrize("text", WEIGHTS)
def test_weights(text):
    found = parse_weights(text, LABELS, [2, 1, 3])
    assert (
        found is None
        if WEIGHTS[text] is None
        else found.tolist() == pytest.approx(WEIGHTS[text])
    )


WRONG = {
    "Q=1": "--class-weights Q=1: 'Q' is no label of the training data: write it as",
    "some": "--class-weights some: 'some' is no label",
    "O=1,O=2": "--class-weights O=1,O=2: O is there twice: drop one",
    "O=x": "--class-weights O=x: 'x' is no number",
    "O=-1": "--class-weights O=-1: weights must be numbers from 0 on",
    "O=nan": "--class-weights O=nan: weights must be numbers",
    "O=0,B-X=0,I-X=0": "not all 0",
}


@pytest.mark.parametrize("text", WRONG)
def test_weights_that_are_none(text):
    with pytest.raises(ValueError, match=WRONG[text]):
        parse_weights(text, LABELS, [2, 1, 3])


@pytest.mark.parametrize("smoothing", [-0.1, 1.0])
def test_smoothing_that_is_none(smoothing):
    with pytest.raises(ValueError, match=f"--label-smoothing {smoothing:g} must be at"):
        criterion(smoothing=smoothing)


def test_the_loss_is_that_of_words():
    model, sample = label_model(task=Task()), sample_of(SENTENCES, TARGET)
    loss, size, log = criterion()(model, sample)
    logs = model.log_probabilities(model(**sample["net_input"]))
    expected = [-logs[0, i, label] for i, label in enumerate(TARGET[0])] + [-logs[1, 0, 2]]
    assert loss.item() == pytest.approx(sum(expected).item(), abs=1e-5)
    assert size == log["sample_size"] == 4
    assert log["ntokens"] == 17
    values = logged(ByteTaggingCriterion, [log])
    assert values["loss"] == pytest.approx(loss.item() / 4 / math.log(2), abs=1e-3)
    assert "nll_loss" not in values


def test_smoothing_logs_the_plain_loss_too():
    model, sample = label_model(task=Task()), sample_of(SENTENCES, TARGET)
    plain = criterion()(model, sample)[2]["loss"]
    log = criterion(smoothing=0.2, weights="balanced")(model, sample)[2]
    assert torch.allclose(log["nll_loss"], plain)
    assert not torch.allclose(log["loss"], plain)


@pytest.mark.parametrize("decoder", ["softmax", "crf"])
def test_labels_that_training_lacks_are_wrong_and_have_no_loss(decoder):
    model = label_model(task=Task(), tag_decoder=decoder)
    known = sample_of(SENTENCES[:1], [[2, 0, 1]])
    both = sample_of(["kal alarm laga", "x y z"], [[2, 0, 1], [3, 4, 2]])
    (one, size, _), (two, more, log) = (criterion()(model, s) for s in (known, both))
    kept = size if decoder == "crf" else size + 1  # the whole sentence, or two words of it
    assert more == kept
    if decoder == "crf":
        assert torch.allclose(one, two, atol=1e-5)
    assert log["_confusion"].view(4, 3)[3].sum() == 2
    assert log["_confusion"].sum() == 6
    assert log["_spans"][2] == 2  # B-X I-X and B-NEW I-NEW


def test_nothing_known_is_no_crash():
    model = label_model(task=Task())
    _, size, log = criterion()(model, sample_of(["x"], [[3]]))
    assert size == 0
    values = logged(ByteTaggingCriterion, [log])
    assert values["accuracy"] == 0
    assert "loss" not in values


@pytest.mark.parametrize("decoder", ["softmax", "crf"])
def test_scores_are_those_of_all_batches(decoder):
    model = label_model(task=Task(), tag_decoder=decoder)
    samples = [
        sample_of(SENTENCES, TARGET),
        sample_of(["a b", "c d e f"], [[0, 0], [2, 2, 0, 1]]),
    ]
    outputs = [criterion()(model, sample)[2] for sample in samples]
    together = {key: sum(log[key] for log in outputs) for key in outputs[0]}
    one, two = (logged(ByteTaggingCriterion, part) for part in ([together], outputs))
    assert one == two
    right = count = 0
    spans = [0, 0, 0]
    for sample in samples:
        found = model.decode(model(**sample["net_input"]))
        for gold, row in zip(sample["target"], found):
            gold, row = gold[gold >= 0].tolist(), row[gold >= 0].tolist()
            right += sum(map(int.__eq__, gold, row))
            count += len(gold)
            named = ([LABELS[i] for i in labels] for labels in (gold, row))
            spans = [x + y for x, y in zip(spans, span_counts(*named))]
    assert one["accuracy"] == pytest.approx(100 * right / count, abs=0.01)
    assert one["span_f1"] == pytest.approx(span_f1(spans), abs=0.01)
    averages = [f"{a}_{b}" for a in ("macro", "micro", "weighted")
                for b in ("precision", "recall", "f1")]  # fmt: skip
    assert set(averages) < one.keys()


def test_labels_that_are_no_spans_have_no_span_scores():
    task = Task(["NOUN", "VERB", "X"])
    log = criterion(task=task)(label_model(task=task), sample_of(["a"], [[1]]))[2]
    assert "_spans" not in log
    assert "span_f1" not in logged(ByteTaggingCriterion, [log])


def test_training_counts_nothing():
    model = label_model(task=Task()).train()
    assert "_confusion" not in criterion()(model, sample_of(["a"], [[1]]))[2]


@pytest.mark.parametrize(
    ("options", "flag"),
    [({"smoothing": 0.1}, "--label-smoothing"), ({"weights": "O=2"}, "--class-weights")],
)
def test_a_crf_has_no_single_labels(options, flag):
    model = label_model(task=Task(), tag_decoder="crf")
    with pytest.raises(ValueError, match=f"{flag} is of single labels, and --tag-decoder"):
        criterion(**options)(model, sample_of(["a"], [[1]]))


def test_a_label_a_sentence():
    model = label_model("byte_classifier", task=Task())
    sample = sample_of(["a", "b c", "d"], [0, 2, 3])
    loss, size, log = criterion(ByteClassificationCriterion)(model, sample)
    logs = model.log_probabilities(model(**sample["net_input"]))
    assert loss.item() == pytest.approx(-(logs[0, 0] + logs[1, 2]).item(), abs=1e-5)
    assert size == 2
    assert log["_confusion"].sum() == 3
    values = logged(ByteClassificationCriterion, [log])
    predicted = model.decode(model(**sample["net_input"])).tolist()
    right = (predicted[0] == 0) + (predicted[1] == 2)
    assert values["accuracy"] == pytest.approx(100 * right / 3, abs=0.01)
