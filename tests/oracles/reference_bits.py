"""Bits of a reference, a sentence and a symbol at a time."""

import math

import torch


def reference_bits(model, source, target, eos):
    """Bits of ``target`` (list of int, its end included) given ``source`` (Long[S])."""
    bits = 0.0
    for i, symbol in enumerate(target):
        before = torch.tensor([[eos, *target[:i]]])
        logits, _ = model(source[None], torch.tensor([len(source)]), before)
        probabilities = torch.softmax(logits[0, -1].double(), -1)
        bits -= math.log2(probabilities[symbol])
    return bits
