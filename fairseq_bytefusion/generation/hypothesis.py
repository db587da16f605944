"""From the symbols that a model wrote to a translation."""

from dataclasses import dataclass
from typing import Optional

import torch

from ..text.symbol_words import NO_WORD, words_of_symbols
from .alignment import align_words
from .translation import Translation


@dataclass
class Hypothesis:
    """What was written for a part of a sentence.

    Args:
        tokens (Long[T]): ``</s>`` the last.
        scores (Float[T]): their log-probabilities.
        score (float): fairseq's, of all of them.
        attention (Float[T, W], optional): what of it goes to each word of the sentence.
    """

    tokens: torch.Tensor
    scores: torch.Tensor
    score: float
    attention: Optional[torch.Tensor] = None

    @classmethod
    def of_fairseq(cls, found):
        """Of a hypothesis (dict) of a generator or scorer of fairseq."""
        scores = found["positional_scores"].float().cpu()
        return cls(found["tokens"].cpu(), scores, float(found["score"]))


def joined(hypotheses, spaces, dictionary, symbols, lenpen=1.0, **others):
    """A translation of hypotheses, one a part.

    Args:
        hypotheses (list of Hypothesis)
        spaces (list of str): the white space before each part.
        dictionary (TextDictionary): of translations.
        symbols (list of bytes): what each of its symbols stands for.
        lenpen (float): see :class:`~.search_options.SearchOptions`.
        **others: of :class:`Translation`.

    Returns:
        Translation: the score of several parts is that of all their symbols.
    """
    text, written, scores = "", [], []
    for hypothesis, space in zip(hypotheses, spaces):
        text += space + dictionary.string(hypothesis.tokens)
        written += [space.encode("utf-8", "surrogateescape")]
        written += [symbols[i] for i in hypothesis.tokens.tolist()]
        scores += [0.0, *hypothesis.scores.tolist()]
    words, index = words_of_symbols(written)
    sums = [0.0] * (len(words) + 1)
    for word, score in zip(index, scores):
        sums[word] += score  # the last one is of NO_WORD
    alignment = None
    if hypotheses[0].attention is not None:
        parts = torch.cat([_with_row_before(h.attention) for h in hypotheses])
        alignment = align_words(parts, index, len(words))
    score = hypotheses[0].score
    if len(hypotheses) > 1:
        score = sum(scores) / sum(len(h.scores) for h in hypotheses) ** lenpen
    return Translation(
        text,
        score,
        words=tuple((w.decode("utf-8", "replace"), s) for w, s in zip(words, sums)),
        end_score=sums[NO_WORD],
        alignment=alignment,
        **others,
    )


def _with_row_before(attention):
    """Of white space before the part, which no model wrote."""
    return torch.nn.functional.pad(attention, (0, 0, 1, 0))
