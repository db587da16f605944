"""Which words and characters a score comes from: Grad-CAM, and what it is made of."""

import contextlib
from dataclasses import dataclass, field
from typing import List

import torch


def grad_cam(states, gradients):
    """``ReLU(sum_c mean_t(dy/dh_tc) h_tc)``

    Args:
        states (Float[T, C]): h.
        gradients (Float[T, C]): of a score y.

    Returns:
        Float[T]

    Source: Selvaraju et al. 2017, equations 1 and 2, with one position t in place of two.
    """
    return (states * gradients.mean(0)).sum(1).relu()


@dataclass
class Watched:
    """What an embedder made of one sentence, with gradients.

    Attributes:
        states (list of Float[1, S, D]): the embedder's, one of them.
        symbols (list of Long[C]): those of each word that was composed, in order.
        characters (list of Float[C, E]): their states, the last ones before the word's;
            maybe with dimensions of size 1 in front.
    """

    states: List[torch.Tensor] = field(default_factory=list)
    symbols: List[torch.Tensor] = field(default_factory=list)
    characters: List[torch.Tensor] = field(default_factory=list)


@contextlib.contextmanager
def watched(embedder):
    """Watch an embedder read one sentence.

    Its composer, if it has one, composes every word by itself, and one that occurs twice
    twice: each character of the sentence has a gradient of its own.

    Args:
        embedder (nn.Module): see ``modules.embedders``.

    Yields:
        Watched: complete when the embedder has been called.
    """
    found = Watched()
    composer = getattr(embedder, "composer", None)
    with contextlib.ExitStack() as stack:
        handle = embedder.register_forward_hook(_keep_states(found))
        stack.callback(handle.remove)
        if composer is not None:
            handle = composer.characters.register_forward_hook(_keep_symbols(found))
            stack.callback(handle.remove)
            module = composer.character_module
            handle = module.register_forward_hook(_keep_characters(found))
            stack.callback(handle.remove)
            stack.enter_context(_word_by_word(composer))
        yield found


def _keep_states(found):
    def hook(module, inputs, output):
        # Leaves, as of a frozen embedder, have no gradient unless they are asked for it.
        found.states.append(output[0].requires_grad_())

    return hook


def _keep_symbols(found):
    def hook(module, inputs, output):
        found.symbols.append(inputs[0].flatten())

    return hook


def _keep_characters(found):
    def hook(module, inputs, output):
        found.characters.append(output.requires_grad_())

    return hook


@contextlib.contextmanager
def _word_by_word(composer):
    """``composer`` without sharing: a row for each word of a sentence, composed alone."""
    words, compose = composer.words, composer.compose

    def words_of(tokens):
        unique = words(tokens)
        rows = unique.index[unique.index < len(unique.lengths)]
        unique.symbols, unique.lengths = unique.symbols[rows], unique.lengths[rows]
        unique.hashes = unique.hashes[rows]
        index = torch.arange(len(rows), device=rows.device)
        unique.index = index.view(1, -1)
        return unique

    def compose_each(symbols, lengths):
        return torch.cat(
            [
                compose(symbols[i : i + 1, : int(n)], lengths[i : i + 1])
                for i, n in enumerate(lengths)
            ]
        )

    composer.words, composer.compose = words_of, compose_each
    try:
        yield
    finally:
        del composer.words, composer.compose
