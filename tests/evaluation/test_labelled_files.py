"""Labelled files against what a model says."""

import logging

import pytest

from fairseq_bytefusion.evaluation.labelled_files import evaluate_file

from ..generation.labellers import labeller


def test_a_file_is_evaluated_as_validation_does_it(label_data, caplog):
    caplog.set_level(logging.ERROR)
    tagger = labeller("tagging", label_data)
    report = evaluate_file(tagger, str(label_data / "test.conll"), progress=False)
    lines = (label_data / "test.conll").read_text().splitlines()
    gold = [line.split("\t") for line in lines if line]
    words = [
        [line.split("\t")[0] for line in block.splitlines()]
        for block in (label_data / "test.conll").read_text().strip().split("\n\n")
    ]
    found = [label for s in tagger.tag_words(words, progress=False) for label in s.labels]
    right = sum(label == guess for (_, label), guess in zip(gold, found))
    assert report.total == len(gold)
    assert report.scores["accuracy"] == pytest.approx(100 * right / len(gold))
    assert set(report.spans) == {"span_precision", "span_recall", "span_f1"}

    classifier = labeller("classification", label_data)
    path = label_data / "test.tsv"
    report = evaluate_file(classifier, str(path), progress=False)
    texts, labels = zip(*(line.split("\t") for line in path.read_text().splitlines()))
    found = classifier.classify(list(texts), progress=False)
    right = sum(f.label == label for f, label in zip(found, labels))
    assert report.scores["accuracy"] == 100 * right / len(labels)
    assert report.spans is None


def test_other_columns_are_read(label_data, tmp_path):
    classifier = labeller("classification", label_data)
    (tmp_path / "a.tsv").write_text("1\tyes\tmausam\n2\tother\tkal\n3\tno\t\n")
    columns = {"text_column": 3, "label_column": 2}
    report = evaluate_file(classifier, str(tmp_path / "a.tsv"), progress=False, **columns)
    assert report.total == 3 and report.unknown == {"other": 1}
    with pytest.raises(ValueError, match="--label-column are both 1"):
        evaluate_file(classifier, str(tmp_path / "a.tsv"), label_column=1)
    tagger = labeller("tagging", label_data)
    with pytest.raises(
        ValueError, match="--text-column is for models that label sentences"
    ):
        evaluate_file(tagger, str(tmp_path / "a.tsv"), **columns)
    (tmp_path / "a.conll").write_text("kal\tO\tNOUN\nalarm\tB-THING\tNOUN\n")
    path = str(tmp_path / "a.conll")
    assert evaluate_file(tagger, path, progress=False).unknown == {"NOUN": 2}
    assert evaluate_file(tagger, path, progress=False, label_column=2).unknown == {}
