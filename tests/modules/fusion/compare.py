"""Fusions of symbols against their oracles."""

import torch

from ...helpers import SENTENCES, pad_batch

D = 8
RAGGED = [
    *SENTENCES,
    "no-spaces-at-all-but-punctuation,and-more",
    "   \t  ",
    "日本語のテキストには空白がありません" * 2,
]
LONG = "word " * 400


def gradients(module, states):
    found = [p.grad.clone() for p in module.parameters()] + [states.grad.clone()]
    module.zero_grad()
    states.grad = None
    return found


def compare(module, oracle, sentences, left):
    """Outputs and all gradients of a padded batch against the oracle, row by row."""
    batch = pad_batch(sentences, left=left, extra=1)
    real = batch != 1
    states = torch.randn(*batch.shape, D, dtype=torch.double, requires_grad=True)
    target = torch.randn_like(states)

    out = module(states, batch, ~real)
    (out * target)[real].sum().backward()
    found = gradients(module, states)

    rows = [oracle(states[i][real[i]], s) for i, s in enumerate(sentences)]
    expected = torch.cat(rows)
    assert (out[real] - expected).abs().max() <= 1e-9
    (expected * target[real]).sum().backward()
    for ours, theirs in zip(found, gradients(module, states)):
        assert (ours - theirs).abs().max() <= 1e-9
