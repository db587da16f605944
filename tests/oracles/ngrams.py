"""What most often follows each context of a text, counted one symbol at a time."""

from collections import Counter, defaultdict


def most_frequent(sentences, order, begin):
    """dict: context (tuple of int) -> the symbol that followed it most often, the lowest of
    several; contexts of more than one symbol that were seen once are left out.

    Args:
        sentences (list of list of int): each with its ``</s>``.
        order (int): n.
        begin (int): what stands before each sentence.
    """
    following = defaultdict(Counter)
    for sentence in sentences:
        text = [begin, *sentence]
        for i in range(1, len(text)):
            for length in range(1, min(order - 1, i) + 1):
                following[tuple(text[i - length : i])][text[i]] += 1
    return {
        context: min(counts, key=lambda symbol: (-counts[symbol], symbol))
        for context, counts in following.items()
        if len(context) == 1 or sum(counts.values()) > 1
    }


def after(table, order, history):
    """int: what ``table`` (dict) has for the longest context at the end of ``history``
    (list of int), or -1."""
    for length in range(min(order - 1, len(history)), 0, -1):
        context = tuple(history[-length:])
        if context in table:
            return table[context]
    return -1
