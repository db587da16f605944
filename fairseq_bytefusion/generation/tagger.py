"""Labels of words from Python."""

import logging
from dataclasses import dataclass
from typing import Tuple

from ..text.word_list import joined_words, split_words
from .labeller import Labeller
from .sentences import check_count, read_sentences_of_list

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class TaggedSentence:
    """The words of a sentence, and a label for each."""

    words: Tuple[str, ...]
    labels: Tuple[str, ...]
    #: probability of each label, whatever those of the other words are
    scores: Tuple[float, ...]


class ByteTagger(Labeller):
    """A trained model that labels words; see :class:`~.labeller.Labeller`."""

    NAME, PURPOSE = "byte_tagging", "labels words"

    def tag(self, sentences, batch_size=32, progress=True):
        """Label the words of sentences: what stands between white space.

        A sentence longer than the model can read is labelled in parts, cut between words,
        with a warning. A sentence without a word has no labels.

        Args:
            sentences (list of str): one sentence each; a line end behind it is dropped.
            batch_size (int): sentences labelled together.
            progress (bool): show a progress bar on standard error.

        Returns:
            list of TaggedSentence: in the order of ``sentences``.

        Raises:
            TypeError: ``sentences`` is not a list of str; a batch size that is no whole
                number.
            ValueError: a line end within a sentence; a batch size below one.
        """
        lines = read_sentences_of_list(sentences)
        return self.tag_words(list(map(split_words, lines)), batch_size, progress)

    def tag_words(self, sentences, batch_size=32, progress=True):
        """As :meth:`tag`, of sentences that are lists of words (list of list of str)."""
        check_count("batch_size", batch_size)
        parts, owners = [], []
        for i, words in enumerate(sentences):
            own = self._parts(words) if words else []
            parts += own
            owners += [i] * len(own)
        self._warn_of_parts(len(owners), len(set(owners)))
        found = self.run([joined_words(part) for part in parts], batch_size, progress)
        labels, scores = ([[] for _ in sentences] for _ in "ab")
        for i, part, (ids, log_probabilities) in zip(owners, parts, found):
            ids = ids[: len(part)]
            chosen = log_probabilities[: len(part)].gather(1, ids.unsqueeze(1)).exp()
            labels[i] += [self.labels[k] for k in ids.tolist()]
            scores[i] += chosen.flatten().tolist()
        return [
            TaggedSentence(*map(tuple, parts)) for parts in zip(sentences, labels, scores)
        ]

    def _parts(self, words):
        """Lists of words that the model can read, in order all of ``words``."""
        dictionary, limit = self.task.source_dictionary, self.task.source_side.limit
        if len(dictionary.encode_line(joined_words(words))) <= limit:
            return [words]
        parts, length = [[]], 0
        for word in words:
            size = len(dictionary.encode_line(joined_words(["", word]))) - 1
            if parts[-1] and length + size > limit - 1:
                parts.append([])
                length = 0
            parts[-1].append(word)
            length += size
        return parts

    def _warn_of_parts(self, num_parts, num_sentences):
        if num_parts > num_sentences:
            logger.warning(
                "sentences of more than %d %s are cut between words and labelled in parts "
                "(--max-source-positions): %d sentences in %d parts",
                *(self.task.source_side.limit - 1, self.task.source_dictionary.plural),
                *(num_sentences, num_parts),
            )
