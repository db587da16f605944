"""Labels of words from Python."""

import logging
from dataclasses import dataclass
from typing import Tuple

from ..text.text_dictionary import encode_utf8
from ..text.word_list import is_word, joined_words, split_words
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
        """As :meth:`tag`, of sentences that are lists of words (list of list of str).

        Raises:
            TypeError: as of :meth:`tag`; a sentence is not a list of str.
            ValueError: as of :meth:`tag`; a word that is empty or holds white space.
        """
        check_count("batch_size", batch_size)
        sentences = list(sentences)
        for i, words in enumerate(sentences):
            _check_words(words, f"sentence {i}")
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
        """As few lists of words that the model can read, in order all of ``words``."""
        sizes, most = self.task.sizes_of_words(words)
        most = (most[0] + 1, *most[1:])  # no space before the first word of a part
        parts, lengths = [[]], [0] * len(most)
        for word, size in zip(words, sizes):
            longer = [length + own for length, own in zip(lengths, size)]
            if parts[-1] and any(n > limit for n, limit in zip(longer, most)):
                parts.append([])
                longer = size
            parts[-1].append(word)
            lengths = longer
        return parts

    def _warn_of_parts(self, num_parts, num_sentences):
        if num_parts > num_sentences:
            logger.warning(
                "sentences of %s are cut between words and labelled in parts (%s): %d "
                "sentences in %d parts",
                *(*self._limits(), num_sentences, num_parts),
            )

    def _limits(self):
        """What a sentence may not have, and what says so (str each)."""
        limit, unit = self.task.source_side.limit - 1, self.task.source_dictionary.plural
        limits, flags = [f"more than {limit} {unit}"], ["--max-source-positions"]
        if self.task.shortening:
            limits.append(self.task.shortening["too_long"])
            flags.append("the positions of the pre-trained model")
        return " or ".join(limits), ", ".join(flags)


def _check_words(words, name):
    """Raise TypeError or ValueError where ``words`` is no list of words."""
    if isinstance(words, (str, bytes)):
        raise TypeError(f"{name} must be a list of words, not {type(words).__name__}")
    for word in words:
        if not isinstance(word, str):
            raise TypeError(
                f"{name}: a word must be str, not {type(word).__name__}: {word!r:.80}"
            )
        if not is_word(encode_utf8(word)):
            raise ValueError(
                f"{name}: {word!r:.80} is no word: it is empty or holds white space"
            )
