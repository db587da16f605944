"""Labelled files against what a model says."""

from ..generation import ByteClassifier
from ..text.columns import read_columns
from ..text.conll import read_conll
from .labelling_report import report_labels


def evaluate_file(labeller, path, batch_size=32, progress=True, **columns):
    """Label a file anew, and compare.

    Args:
        labeller (ByteTagger or ByteClassifier)
        path (str): ``.conll`` of a tagger, ``.tsv`` of a classifier, whatever its name is.
        batch_size (int): sentences labelled together.
        progress (bool): show a progress bar on standard error.
        **columns (int, optional): ``label_column`` and, of a classifier, ``text_column``,
            from 1, in place of those of training.

    Returns:
        LabellingReport: of all words of the file, or of all its sentences.

    Raises:
        OSError: it cannot be read.
        ValueError: see :func:`~..text.conll.read_conll` and
            :func:`~..text.columns.read_columns`; a column that such a file has not.
    """
    given = {name: column for name, column in columns.items() if column is not None}
    if isinstance(labeller, ByteClassifier):
        chosen = [
            given.get(name, getattr(labeller.task.cfg, name))
            for name in ("text_column", "label_column")
        ]
        if chosen[0] == chosen[1]:
            raise ValueError(
                f"--text-column and --label-column are both {chosen[0]} (one that is not "
                "given is as in training): change one"
            )
        texts, labels = read_columns(path, *chosen)
        found = labeller.run(texts, batch_size, progress, path)
        gold = [[label] for label in labels]
        predicted = [[labeller.labels[int(label)]] for label, _ in found]
    else:
        if "text_column" in given:
            raise ValueError(
                "--text-column is for models that label sentences, and this one labels "
                "words, which are in column 1: drop that flag"
            )
        column = given.get("label_column", labeller.task.cfg.label_column)
        words, gold = read_conll(path, column)
        found = labeller.tag_words(words, batch_size, progress)
        predicted = [list(sentence.labels) for sentence in found]
    return report_labels(gold, predicted, labeller.labels)
