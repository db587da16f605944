"""WSF, one word at a time (Sreedhar et al. 2023, equation 8), and its word boundaries."""

import torch

from .attention import multihead_attention

WHITESPACE = b" \t\r\v\f"


def words_of(raw, boundary="space", max_word=64):
    """Blocks of a sentence, by the rule in the design page, one byte at a time.

    Args:
        raw (bytes): a sentence without ``</s>``, which is a block of its own.

    Returns:
        list of bytes
    """
    words, word = [], b""
    for i, byte in enumerate(raw):
        opens = byte in WHITESPACE and (i == 0 or raw[i - 1] not in WHITESPACE)
        if boundary == "script" and i and not 0x80 <= byte < 0xC0:
            opens |= raw[i : i + 1].isalnum() != raw[i - 1 : i].isalnum()
        if opens and word:
            words.append(word)
            word = b""
        word += raw[i : i + 1]
    words = [*words, word] if word else words
    return [piece for word in words for piece in split_word(word, max_word)]


def split_word(word, max_word):
    """Pieces of a word that is too long: characters by where they start."""
    if len(word) <= max_word:
        return [word]
    pieces = {}
    start = 0
    for i in range(len(word)):
        continues = 0x80 <= word[i] < 0xC0
        stray = i >= 3 and all(0x80 <= b < 0xC0 for b in word[i - 3 : i + 1])
        if i == 0 or not continues or stray:
            start = i
        pieces.setdefault(start // (max_word - 3), bytearray()).append(word[i])
    return [bytes(piece) for _, piece in sorted(pieces.items())]


def word_attention(module, states, lengths):
    """What ``modules.fusion.WordAttention`` must compute.

    Args:
        module (WordAttention): gives the layers.
        states (Float[T, D]): one sentence, without padding.
        lengths (list of int): of its blocks, T in all.

    Returns:
        Float[T, D]
    """
    rows = []
    for word in states.split(lengths):
        x = word
        for layer in module.layers:
            x = encoder_layer(layer, x)
        rows.append(x)
    return torch.cat(rows)


def encoder_layer(layer, x, attention=multihead_attention):
    """A post- or pre-norm encoder layer on one sequence, by hand; ``attention``: the
    oracle of that of the layer."""

    def normed(norm, block, x):
        if layer.normalize_before:
            return x + block(norm(x))
        return norm(x + block(x))

    def attend(x):
        return attention(layer.self_attn, x, x, lambda t, s: True)

    x = normed(layer.self_attn_layer_norm, attend, x)
    return normed(
        layer.final_layer_norm, lambda x: layer.fc2(layer.activation_fn(layer.fc1(x))), x
    )
