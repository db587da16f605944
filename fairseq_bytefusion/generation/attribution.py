"""Which words and characters of a text a label comes from."""

from dataclasses import dataclass
from typing import List, Optional, Tuple

import torch
from fairseq import utils

from ..modules.attribution import grad_cam, watched
from ..text.text_dictionary import encode_utf8
from ..text.word_list import joined_words, split_words
from .classifier import ByteClassifier

# What a language model reads before a sentence.
_BEGIN = [0]

_NO_SPAN = "O"


@dataclass(frozen=True)
class Attribution:
    """What a label of a text comes from; values are at least 0."""

    words: List[str]
    label: str
    #: probability of the label
    score: float
    #: which word the label is of, from 0; None where it is of the sentence
    of_word: Optional[int]
    #: a value a word
    word_values: List[float]
    #: each word's characters and their values; None in place of a value where the model
    #: does not read the character
    characters: List[List[Tuple[str, Optional[float]]]]


def explain(labeller, text, label=None, word=None):
    """Grad-CAM of the log-odds of a label.

    Over word vectors, as they leave the embedder, with ``</s>`` in the mean; and over the
    states of all characters in the embedder's composer, see
    ``WordComposer.character_module``, with what delimits words in the mean. Bytes of a
    character are added. An embedder of symbols has no word vectors: a word's value is then
    the sum of its symbols'.

    Args:
        labeller (ByteTagger or ByteClassifier)
        text (str): one sentence.
        label (str, optional): by default the one that the model predicts.
        word (int, optional): of a tagger, whose label, from 0; by default that of the
            first word whose label is not O.

    Returns:
        Attribution

    Raises:
        ValueError: no word, more text than the model can read, no such label or word; a
            classifier, and a ``word``.
    """
    words = split_words(text)
    task = labeller.task
    _check(labeller, words, label, word)
    encoder = labeller.model.encoder
    if task.pretrained is not None:
        raise ValueError(
            "what a label comes from is not shown for --encoder-type pretrained: explain a "
            "model of another encoder"
        )
    # cuDNN has no backward pass for an LSTM that is not training.
    with watched(encoder.embed_tokens) as seen, torch.backends.cudnn.flags(enabled=False):
        dataset = task.dataset_of([joined_words(words)], "the text")
        batch = dataset.collater([dataset[0]])
        batch = utils.apply_to_sample(lambda x: x.to(labeller.device), batch)
        output = labeller.model(**batch["net_input"])
    found = labeller.model.decode(output)[0]
    scores, log_probabilities = (
        of(output)[0] for of in (lambda o: o["scores"], labeller.model.log_probabilities)
    )
    if not isinstance(labeller, ByteClassifier):
        names = [labeller.labels[i] for i in found[: len(words)].tolist()]
        word = _first_marked(names) if word is None else word
        found, scores = found[word], scores[word]
        log_probabilities = log_probabilities[word]
    index = int(found) if label is None else labeller.labels.index(label)
    values = _values(log_odds(scores, index), seen, task.source_dictionary.pad())
    return Attribution(
        words,
        labeller.labels[index],
        float(log_probabilities[index].detach().exp()),
        word,
        *_of_words(words, task.source_dictionary, encoder.embed_tokens, seen, *values),
    )


def _check(labeller, words, label, word):
    if not words:
        raise ValueError("the text has no word: there is nothing to explain")
    dictionary, limit = labeller.task.source_dictionary, labeller.task.source_side.limit
    length = len(dictionary.encode_line(joined_words(words)))
    if length > limit:
        raise ValueError(
            f"the text has {length - 1} {dictionary.plural}, and the model reads "
            f"{limit - 1} at most: shorten it"
        )
    if label is not None and label not in labeller.labels:
        raise ValueError(
            f"the model has no label {label}: choose from {', '.join(labeller.labels)}"
        )
    if word is None:
        return
    if isinstance(labeller, ByteClassifier):
        raise ValueError(
            "--word says which word's label to explain, and this model labels sentences: "
            "drop that flag"
        )
    if not 0 <= word < len(words):
        raise ValueError(f"--word {word + 1}: the text has {len(words)} words")


def log_odds(scores, index):
    """Float[]: of a label against all others, of scores Float[L] of L labels.

    A score alone may rise and fall with those of all other labels, which changes no
    probability.
    """
    others = torch.cat([scores[:index], scores[index + 1 :]])
    return scores[index] - others.logsumexp(0)


def _first_marked(names):
    """int: the first word whose label (of ``names``) says something."""
    return next((i for i, name in enumerate(names) if name != _NO_SPAN), 0)


def _values(score, seen, pad):
    """Values of the states, Float[S], and of each composed word's characters, Float[C],
    where ``pad`` (int) is none."""
    tensors = [seen.states[0], *seen.characters]
    gradients = torch.autograd.grad(score, tensors, allow_unused=True)
    states, *characters = (
        (tensor.detach().flatten(0, -2), None if g is None else g.flatten(0, -2))
        for tensor, g in zip(tensors, gradients)
    )
    if not characters:
        return grad_cam(*states), []
    reals, parts = [symbols.ne(pad) for symbols in seen.symbols], []
    for real, (state, gradient) in zip(reals, characters):
        gradient = torch.zeros_like(state) if gradient is None else gradient
        parts.append((state[real], gradient[real]))
    # One mean of the gradients of all characters, so that words compare.
    values = grad_cam(*map(torch.cat, zip(*parts))).split([len(s) for s, _ in parts])
    found = [torch.zeros_like(real, dtype=states[0].dtype) for real in reals]
    for real, all_values, own in zip(reals, found, values):
        all_values[real] = own
    return grad_cam(*states), found


def _of_words(words, dictionary, embedder, seen, states, characters):
    """Values of words, and of their characters."""
    ids = [dictionary.encode_line(joined_words([word]))[:-1].tolist() for word in words]
    if not embedder.composes_words:
        values = _of_symbols(ids, states.tolist())
        sums = [sum(value) for value in values]
    else:
        composer = getattr(embedder, "composer", None)
        values = _of_composed(ids, composer, seen.symbols, characters)
        sums = states[: len(words)].tolist()
    spelled = [_of_characters(word, dictionary, own) for word, own in zip(words, values)]
    return sums, spelled


def _of_symbols(ids, values):
    """list of list of float: a word's symbols lie one behind the other, with a space
    between words."""
    found, start = [], 0
    for word in ids:
        found.append(values[start : start + len(word)])
        start += len(word) + 1
    return found


def _of_composed(ids, composer, symbols, values):
    """list of list of float: of each word; empty where it is not composed, as known words
    of a hybrid mixture."""
    if composer is None:
        return [[] for _ in ids]
    outside = {composer.padding_idx, composer.begin, composer.end}
    rows = [
        [(i, v) for i, v in zip(row.tolist(), own.tolist()) if i not in outside]
        for row, own in zip(symbols, values)
    ]
    rows = [row for row in rows if [i for i, _ in row] != _BEGIN]
    found = []
    for word in ids:
        is_next = rows and [i for i, _ in rows[0]] == word[: composer.max_chars]
        found.append([v for _, v in rows.pop(0)] if is_next else [])
    return found


def _of_characters(word, dictionary, values):
    """list of (str, float): each character with the sum of its symbols' values; None where
    one of them has none."""
    found, start = [], 0
    for character in word:
        count = len(dictionary.symbol_ids(encode_utf8(character)))
        own = values[start : start + count]
        found.append((character, sum(own) if len(own) == count else None))
        start += count
    return found
