"""Spans that BIO labels mark, and their F1, by the rules of conlleval."""


def is_bio(labels):
    """Whether ``labels`` (iterable of str) mark spans: all B, I or O, and not all O."""
    tags = {_split(label)[0] for label in labels}
    return tags <= {"B", "I", "O"} and tags != {"O"} and bool(tags)


def spans(labels):
    """The spans that the labels of a sentence mark.

    A label is a tag, B, I or O, and behind the first hyphen a type. B begins a span; so
    does I at the start of a sentence, after O and after another type. A span ends before
    B, O, another type and the end of the sentence.

    Args:
        labels (list of str): a label a word, such as B-LOC, I-LOC, O.

    Returns:
        list of (str, int, int): type, first word and the word after the last, in order.

    Source: Tjong Kim Sang and Buchholz 2000, conlleval (startOfChunk, endOfChunk).
    """
    found = []
    start, before = None, ("O", "")
    for word, label in enumerate([*labels, "O"]):
        now = _split(label)
        if start is not None and _ends(before, now):
            found.append((before[1], start, word))
            start = None
        if _begins(before, now):
            start = word
        before = now
    return found


def span_counts(gold, predicted):
    """How many spans of a sentence are right: those with the same type and words.

    Counts of sentences are added before :func:`span_scores`.

    Args:
        gold, predicted (list of str): BIO labels of the same words.

    Returns:
        (int, int, int): correct spans, predicted ones, those of ``gold``.

    Raises:
        ValueError: not as many labels.
    """
    if len(gold) != len(predicted):
        raise ValueError(f"{len(predicted)} labels are predicted for {len(gold)} words")
    wanted, found = spans(gold), spans(predicted)
    return len(set(wanted) & set(found)), len(found), len(wanted)


def span_scores(counts):
    """Precision, recall and F1 of spans, in percent; 0 where there is nothing to divide by.

    Args:
        counts ((int, int, int)): see :func:`span_counts`.

    Returns:
        dict: ``span_precision``, ``span_recall``, ``span_f1`` -> float.
    """
    correct, predicted, gold = counts
    return {
        "span_precision": 100 * correct / max(predicted, 1),
        "span_recall": 100 * correct / max(gold, 1),
        "span_f1": span_f1(counts),
    }


def span_f1(counts):
    """float: F1 of spans in percent; ``counts`` as :func:`span_counts` gives them."""
    correct, predicted, gold = counts
    return 200 * correct / max(predicted + gold, 1)


def _split(label):
    tag, _, kind = label.partition("-")
    return tag, kind


def _begins(before, now):
    if now[0] == "O":
        return False
    return now[0] == "B" or before[0] == "O" or before[1] != now[1]


def _ends(before, now):
    return now[0] in ("B", "O") or before[1] != now[1]
