"""Counts of BIO spans word by word, with a gold and a predicted span open at a time.

This is how conlleval goes through a file; its rules are listed here case by case.
"""

BEGINNING = {("B", "B"), ("I", "B"), ("O", "B"), ("O", "I")}
ENDING = {("B", "B"), ("B", "O"), ("I", "B"), ("I", "O")}


def begins(before, now):
    """Whether a span begins between two labels, each (tag, type)."""
    return (before[0], now[0]) in BEGINNING or (now[0] != "O" and before[1] != now[1])


def ends(before, now):
    """Whether a span ends between two labels, each (tag, type)."""
    return (before[0], now[0]) in ENDING or (before[0] != "O" and before[1] != now[1])


def split(label):
    """(tag, type) of a label."""
    return tuple(label.split("-", 1)) if "-" in label else (label, "")


def span_counts(gold, predicted):
    """(correct, predicted, gold) of a sentence."""
    correct = num_predicted = num_gold = 0
    both_open = False
    g_before = p_before = ("O", "")
    for g, p in zip([*gold, "O"], [*predicted, "O"]):
        g, p = split(g), split(p)
        if both_open:
            g_ends, p_ends = ends(g_before, g), ends(p_before, p)
            if g_ends and p_ends and g_before[1] == p_before[1]:
                correct += 1
                both_open = False
            elif g_ends != p_ends or g[1] != p[1]:
                both_open = False
        if begins(g_before, g) and begins(p_before, p) and g[1] == p[1]:
            both_open = True
        num_gold += begins(g_before, g)
        num_predicted += begins(p_before, p)
        g_before, p_before = g, p
    return correct, num_predicted, num_gold
