"""Word composers, one word at a time, without padding (see modules.embedders)."""

import math
from functools import partial

import torch

from fairseq_bytefusion.modules.attention import FusedAttention
from fairseq_bytefusion.modules.attention_pooling import AttentionPooling
from fairseq_bytefusion.modules.embedders.composers.hit import mean_of

from .attention import multihead_attention
from .attention_pooling import attention_pooling
from .fused import fused_attention
from .word_attention import WHITESPACE, encoder_layer, words_of

EOS, BYTE_OFFSET = 2, 4


def characters_of(raw, max_chars=50):
    """Ids of each word of a sentence, byte by byte, ``</s>`` last.

    Args:
        raw (bytes): without ``</s>``.

    Returns:
        list of list of int
    """
    words = [w.lstrip(WHITESPACE) or w for w in words_of(raw, max_word=10**9)]
    return [[b + BYTE_OFFSET for b in w[:max_chars]] for w in words] + [[EOS]]


def layer_norm(module, x):
    """Rows of ``x``, normalised."""
    centred = x - x.mean(-1, keepdim=True)
    deviation = (centred.square().mean(-1, keepdim=True) + module.eps).sqrt()
    return centred / deviation * module.weight + module.bias


def gelu(x):
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2


def char2subword_layer(layer, x):
    """Aguilar et al. 2021, appendix A: residuals of the normalised input."""
    x = layer_norm(layer.self_attn_layer_norm, x)
    x = multihead_attention(layer.self_attn, x, x, lambda t, s: True) + x
    x = layer_norm(layer.final_layer_norm, x)
    return layer.fc2(gelu(layer.fc1(x))) + x


def char2subword(module, word, begins=True):
    """Float[D] of ``word`` (list of int); ``begins`` tells ``ing`` from ``##ing``."""
    ids = [module.begin] * begins + [*word, module.end]
    x = module.characters.weight[ids] + module.positions[: len(ids)]
    for layer in module.layers:
        x = char2subword_layer(layer, x)
    x = module.projection(x)
    characters = x[int(begins) : -1]
    return layer_norm(module.layer_norm, characters.max(0).values)


def highway(module, x):
    """Kim et al. 2015, equation 8, on a vector."""
    for layer in module.layers:
        dim = len(x)
        transform = 1 / (1 + torch.exp(-(layer.weight[dim:] @ x + layer.bias[dim:])))
        candidate = (layer.weight[:dim] @ x + layer.bias[:dim]).clamp(min=0)
        x = transform * candidate + (1 - transform) * x
    return x


def char_cnn(module, word, relu=False):
    """Float[D] of ``word``: Kim et al. 2015, equations 5 and 6, window by window."""
    rows = list(module.characters.weight[[module.begin, *word, module.end]])
    found = []
    for conv in module.convolutions:
        width = conv.kernel_size[0]
        short = [torch.zeros_like(rows[0])] * (width - len(rows))
        padded = rows + short
        responses = [
            conv.bias + sum(conv.weight[:, :, k] @ padded[j + k] for k in range(width))
            for j in range(len(padded) - width + 1)
        ]
        # Kim et al. 2015 have tanh, Peters et al. 2018 ReLU.
        responses = [r.clamp(min=0) if relu else torch.tanh(r) for r in responses]
        found.append(torch.stack(responses).max(0).values)
    return module.projection(highway(module.highway, torch.cat(found)))


def char_rnn(module, word):
    """Float[D] of ``word``: an LSTM in each direction, step by step."""
    lstm, directions = module.lstm, []
    for suffix, ids in (("", word), ("_reverse", word[::-1])):
        states = []
        hidden = cell = torch.zeros(lstm.hidden_size, dtype=lstm.weight_ih_l0.dtype)
        for row in module.characters.weight[ids]:
            gates = (
                getattr(lstm, f"weight_ih_l0{suffix}") @ row
                + getattr(lstm, f"bias_ih_l0{suffix}")
                + getattr(lstm, f"weight_hh_l0{suffix}") @ hidden
                + getattr(lstm, f"bias_hh_l0{suffix}")
            )
            i, f, g, o = gates.chunk(4)
            cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
            hidden = o.sigmoid() * cell.tanh()
            states.append(hidden)
        directions.append(states)
    forward, backward = directions
    if module.pool is None:
        return module.projection(torch.cat([forward[-1], backward[-1]]))
    states = [torch.cat(pair) for pair in zip(forward, backward[::-1])]
    return module.projection(attention_pooling(module.pool, torch.stack(states)))


def hit(module, word):
    """Float[D] of ``word``: Sengupta et al. 2021, section 3, the layers' states pooled."""
    x = module.characters.weight[word] + module.positions[: len(word)]
    for layer in module.layers:
        is_fused = isinstance(layer.self_attn, FusedAttention)
        attention = partial(fused_attention, gate="token")
        x = encoder_layer(layer, x, attention if is_fused else multihead_attention)
    if isinstance(module.pool, AttentionPooling):
        pooled = attention_pooling(module.pool, x)
    else:
        pooled = x.mean(0) if module.pool is mean_of else x.max(0).values
    return module.projection(pooled)


ORACLES = {
    "char2subword": char2subword,
    "char-cnn": char_cnn,
    "char-rnn": char_rnn,
    "hit": hit,
}
