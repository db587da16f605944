"""Labels of sentences from Python."""

from dataclasses import dataclass
from typing import Dict, Optional

from ..text.word_list import split_words
from .labeller import Labeller
from .sentences import check_count, read_sentences_of_list


@dataclass(frozen=True)
class Classification:
    """The label of a sentence; that of a sentence without a word is None."""

    text: str
    label: Optional[str]
    #: probability of the label
    score: Optional[float]
    #: every label and its probability, the most probable first
    probabilities: Dict[str, float]


class ByteClassifier(Labeller):
    """A trained model that labels sentences; see :class:`~.labeller.Labeller`."""

    NAME, PURPOSE = "byte_classification", "labels sentences"

    def classify(self, sentences, batch_size=32, progress=True):
        """Label sentences.

        A sentence longer than the model can read is cut behind a word, with a warning. A
        sentence without a word has no label.

        Args:
            sentences (list of str): one sentence each; a line end behind it is dropped.
            batch_size (int): sentences labelled together.
            progress (bool): show a progress bar on standard error.

        Returns:
            list of Classification: in the order of ``sentences``.

        Raises:
            TypeError: ``sentences`` is not a list of str; a batch size that is no whole
                number.
            ValueError: a line end within a sentence; a batch size below one.
        """
        check_count("batch_size", batch_size)
        lines = read_sentences_of_list(sentences)
        found = [Classification(line, None, None, {}) for line in lines]
        rows = [i for i, line in enumerate(lines) if split_words(line)]
        results = self.run([lines[i] for i in rows], batch_size, progress)
        for i, (label, log_probabilities) in zip(rows, results):
            probabilities = log_probabilities.exp().tolist()
            order = sorted(range(len(probabilities)), key=lambda k: -probabilities[k])
            found[i] = Classification(
                lines[i],
                self.labels[int(label)],
                probabilities[int(label)],
                {self.labels[k]: probabilities[k] for k in order},
            )
        return found
