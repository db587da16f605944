"""An LSTM a word at a time, layers of one direction, and the mix of ELMo."""

import torch


def cell(layer, x, h, c):
    """One step of ``layer`` (nn.LSTM of one layer): h, c of the next word.

    Source: Hochreiter & Schmidhuber 1997; Sak et al. 2014 for the projection.
    """
    gates = layer.weight_ih_l0 @ x + layer.bias_ih_l0
    gates = gates + layer.weight_hh_l0 @ h + layer.bias_hh_l0
    i, f, g, o = gates.chunk(4)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return (layer.weight_hr_l0 @ h if layer.proj_size else h), c


def directed_layers(module, words):
    """States of one sentence.

    Args:
        module (DirectedLSTM): without dropout.
        words (Float[S, D])

    Returns:
        list of Float[S, D]: of each layer.
    """
    found, below = [], list(words)
    for number, layer in enumerate(module.layers):
        h, c = torch.zeros_like(below[0]), words.new_zeros(layer.hidden_size)
        order = range(len(below))
        states = [None] * len(below)
        for k in reversed(order) if module.is_backward else order:
            h, c = cell(layer, below[k], h, c)
            states[k] = h
        if number:
            states = [state + x for state, x in zip(states, below)]
        found.append(torch.stack(states))
        below = states
    return found


def mixed(scores, gamma, layers):
    """``gamma sum_j softmax(s)_j h_j`` of lists of float (layers: list of list)."""
    powers = [2.718281828459045**s for s in scores]
    weights = [p / sum(powers) for p in powers]
    return [gamma * sum(w * x for w, x in zip(weights, xs)) for xs in zip(*layers)]
