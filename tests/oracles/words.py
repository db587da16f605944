"""Labels and states of words, slowly: a sentence and a sequence of labels at a time."""

import itertools

import torch

WHITESPACE = b" \t\r\v\f"


def pooled(states, symbols, mode):
    """The states of the words of one sentence.

    Args:
        states (Float[T, D])
        symbols (list of bytes): T, one of each symbol, ``b""`` for ``</s>``, which is last.
        mode (str): mean, first or last.

    Returns:
        Float[S, D]
    """
    blocks, before = [], None
    for place, symbol in enumerate(symbols):
        kind = "end" if not symbol else "space" if symbol in WHITESPACE else "text"
        # White space belongs to the word behind it.
        if before is None or kind == "end" or (kind == "space" and before != "space"):
            blocks.append([])
        blocks[-1].append((place, kind))
        before = kind
    vectors = []
    for block in blocks:
        text = [place for place, kind in block if kind != "space"]
        places = text or [place for place, _ in block]
        chosen = {"mean": places, "first": places[:1], "last": places[-1:]}[mode]
        vectors.append(torch.stack([states[place] for place in chosen]).mean(0))
    return torch.stack(vectors)


def crf_score(scores, labels, start, transitions, end):
    """float: what a sequence of labels scores.

    Args:
        scores (Float[S, L])
        labels (sequence of int): S.
        start (Float[L]), transitions (Float[L, L]), end (Float[L])
    """
    total = start[labels[0]] + end[labels[-1]]
    for place, label in enumerate(labels):
        total = total + scores[place, label]
    for one, next_one in zip(labels, labels[1:]):
        total = total + transitions[one, next_one]
    return total


def crf_distribution(scores, start, transitions, end):
    """dict of tuple of int to Float[]: the probability of every sequence of labels."""
    length, num_labels = scores.shape
    every = list(itertools.product(range(num_labels), repeat=length))
    totals = [crf_score(scores, labels, start, transitions, end) for labels in every]
    return dict(zip(every, torch.stack(totals).softmax(0)))
