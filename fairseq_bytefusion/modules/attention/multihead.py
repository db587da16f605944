"""Multi-head attention, batch first, with the cache of incremental decoding."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from ..decoding.decoding_cache import affine


class MultiheadAttention(nn.Module):
    """Scaled dot-product attention with several heads.

    Parameters are named and initialised as in fairseq's ``MultiheadAttention``,
    so that its state dicts load.

    Args:
        embed_dim (int): D, width of queries and of the output.
        num_heads (int): H, a divisor of D.
        kdim (int, optional): width of keys and values where it is not D.
        dropout (float): probability of dropping an attention weight.
        self_attention (bool): keys come from the queries' own sequence; without,
            they come from the encoder and never change during decoding.

    Raises:
        ValueError: H does not divide D.

    Source: Vaswani et al. 2017, section 3.2.
    """

    def __init__(self, embed_dim, num_heads, kdim=None, dropout=0.0, self_attention=True):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(
                f"the embedding dimension ({embed_dim}) must be a multiple of the "
                f"number of attention heads ({num_heads})"
            )
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.self_attention = self_attention
        kdim = embed_dim if kdim is None else kdim
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.k_proj = nn.Linear(kdim, embed_dim)
        self.v_proj = nn.Linear(kdim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)
        self.reset_parameters(gain=2**-0.5 if kdim == embed_dim else 1.0)

    def reset_parameters(self, gain):
        for projection in (self.q_proj, self.k_proj, self.v_proj):
            nn.init.xavier_uniform_(projection.weight, gain=gain)
        nn.init.xavier_uniform_(self.out_proj.weight)
        nn.init.zeros_(self.out_proj.bias)

    def forward(self, query, memory, allowed=None, causal=False, need_weights=False):
        """
        Args:
            query (Float[B, T, D])
            memory (Float[B, S, K]): what keys and values are made of.
            allowed (Bool, broadcastable to [B, H, T, S], optional): True where a
                query may look; every row needs one True.
            causal (bool): query t sees keys 0..t only (T = S).
            need_weights (bool): return the attention weights too.

        Returns:
            tuple: Float[B, T, D] and weights Float[B, H, T, S] or None.
        """
        q = self._split_heads(self.q_proj(query))
        k = self._split_heads(self.k_proj(memory))
        v = self._split_heads(self.v_proj(memory))
        dropout = self.dropout if self.training else 0.0
        if need_weights:
            x, weights = _attend(q, k, v, allowed, causal, dropout)
        else:
            x, weights = (
                F.scaled_dot_product_attention(q, k, v, allowed, dropout, causal),
                None,
            )
        return self.out_proj(x.transpose(1, 2).flatten(2)), weights

    def step(self, query, memory, cache):
        """Attention of the newest position of a beam search; no dropout, no gradient.

        Args:
            query (Float[S, g, D]): g hypotheses of each of S sentences.
            memory (Float[S, T, K]): the encoder's states, in cross-attention; needed
                the first time only.
            cache (LayerCache): what earlier steps left.

        Returns:
            tuple: Float[S, g, D] and weights Float[S, H, g, n]: n nodes of the tree, or
            T encoder states.
        """
        if self.self_attention:
            q, keys, values = self._project_new(query, cache)
            bias = cache.bias
        else:
            q = self._split_heads(cache.linear(self.q_proj, query))
            if cache.memory is None:
                cache.memory = self._project_memory(memory)
            keys, values = cache.memory
            bias = cache.memory_bias
        scores = torch.bmm(q.flatten(0, 1), keys).view(*q.shape[:3], -1)
        if bias is not None:
            scores += bias
        weights = _softmax(scores)
        x = torch.bmm(weights.flatten(0, 1), values).view(q.shape)
        return cache.linear(self.out_proj, x.transpose(1, 2).flatten(2)), weights

    def _split_heads(self, x):
        """Float[B, T, D] to Float[B, H, T, D/H], a view."""
        return x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def _project_memory(self, memory):
        """Scaled keys Float[S * H, d, T] and values Float[S * H, T, d]."""
        keys = self._split_heads(self.k_proj(memory) * self.head_dim**-0.5)
        values = self._split_heads(self.v_proj(memory))
        keys = keys.transpose(2, 3).contiguous()
        return keys.flatten(0, 1), values.contiguous().flatten(0, 1)

    def _project_new(self, x, cache):
        """Queries Float[S, H, g, d] of ``x``, keys and values of it and all before."""
        if cache.projection is None:
            cache.projection = self._joint_projection()
        x = affine(x, *cache.projection)
        q, k, v = x.unflatten(-1, (3, self.num_heads, self.head_dim)).unbind(2)
        keys, values = cache.write(k, v)
        return q.transpose(1, 2), keys, values

    def _joint_projection(self):
        """Bias [3D] and weight [D, 3D] of scaled queries, keys and values."""
        scale = self.head_dim**-0.5
        parts = (self.q_proj, self.k_proj, self.v_proj)
        biases, weights = [p.bias for p in parts], [p.weight.t() for p in parts]
        biases[0], weights[0] = biases[0] * scale, weights[0] * scale
        return torch.cat(biases), torch.cat(weights, dim=1).contiguous()


def _attend(q, k, v, allowed, causal, dropout):
    """Attention that also returns its weights; shapes as in :class:`MultiheadAttention`."""
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    if causal:
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    weights = _softmax(scores)
    return F.dropout(weights, dropout) @ v, weights


def _softmax(scores):
    """Over the last dimension, in float32 at least."""
    at_least_float32 = torch.promote_types(scores.dtype, torch.float32)
    return scores.softmax(-1, dtype=at_least_float32).type_as(scores)
