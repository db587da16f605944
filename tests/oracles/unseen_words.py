"""Recall of unseen words, a word at a time."""

from sacrebleu.metrics import BLEU


def unseen_recall(hypothesis, reference, training):
    """(found, all) of one sentence; ``training``: list of str."""
    tokenize = BLEU(tokenize="13a").tokenizer
    known = [word for line in training for word in tokenize(line).split()]
    left = tokenize(hypothesis).split()
    found = total = 0
    for word in tokenize(reference).split():
        if word in known:
            continue
        total += 1
        if word in left:
            left.remove(word)
            found += 1
    return found, total
