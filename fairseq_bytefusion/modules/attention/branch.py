"""A branch of attention: its projections, and its kernel."""

import torch
import torch.nn as nn


class Branch(nn.Module):
    """Projections of queries, keys, values and of what comes out, over several heads.

    Which keys a query sees is not a branch's to say but the geometry's, which calls the
    two forms of its kernel, :meth:`attend` and :meth:`attend_cached`. A branch alone is an
    attention; several make a :class:`~.branched.BranchedAttention`.

    Parameters are named and initialised as in fairseq's ``MultiheadAttention``, so that
    its state dicts load.

    Args:
        embed_dim (int): D, width of queries and of the output.
        num_heads (int): H, a divisor of D; a head is d = D / H wide.
        kdim (int, optional): width K of keys and values where it is not D.
        dropout (float): probability, for the kernel.

    Raises:
        ValueError: H does not divide D.

    Source: Vaswani et al. 2017, section 3.2.
    """

    #: whether a search collects what each hypothesis descends from, since the kernel's cost
    #: goes by the keys it is given, seen or not
    gathers_past = False

    def __init__(self, embed_dim, num_heads, kdim=None, dropout=0.0):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(
                f"the embedding dimension ({embed_dim}) must be a multiple of the "
                f"number of attention heads ({num_heads})"
            )
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        #: what a product of a query and a key is multiplied by
        self.scale = self.head_dim**-0.5
        self.dropout = dropout
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

    def forward(self, query, memory, geometry, need_weights=False):
        """
        Args:
            query (Float[..., D])
            memory (Float[..., K]): what keys and values are made of; for self-attention
                the queries themselves.
            geometry (Geometry): which keys a query sees, see :mod:`.geometry`.
            need_weights (bool): return the attention weights too.

        Returns:
            tuple: Float[..., D] and weights Float[B, H, T, S], or None where they were not
            asked for or the geometry or kernel has none.
        """
        return geometry.attend(self, query, memory, need_weights)

    def attend(self, q, k, v, allowed=None, causal=False, need_weights=False):
        """The kernel.

        Args:
            q (Float[B, H, T, d]), k, v (Float[B, H, S, d]): not scaled.
            allowed (Bool, broadcastable to [B, H, T, S], optional): True where a query may
                look; every row has one True.
            causal (bool): query t sees keys 0..t only (T = S).
            need_weights (bool)

        Returns:
            tuple: Float[B, H, T, d] and weights Float[B, H, T, S] or None.
        """
        raise NotImplementedError

    def attend_cached(self, q, keys, values, bias=None):
        """The kernel in a search: no dropout, no gradient, and every head of every sentence
        has a row in keys and values.

        Args:
            q (Float[S, H, g, d]): of g hypotheses of each of S sentences.
            keys (Float[S * H, d, n]): of n nodes; of q and keys one is scaled.
            values (Float[S * H, n, d])
            bias (Float, broadcastable to [S, H, g, n], optional): 0 where a query may look,
                else -inf.

        Returns:
            tuple: Float[S, H, g, d] and weights Float[S, H, g, n] or None.
        """
        raise NotImplementedError

    def split_heads(self, x):
        """Float[B, T, D] to Float[B, H, T, d], a view."""
        return x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def project(self, query, memory):
        """Queries, keys and values Float[..., D], heads side by side, not scaled."""
        return self.q_proj(query), self.k_proj(memory), self.v_proj(memory)

    def project_memory(self, memory):
        """For a search: scaled keys Float[S * H, d, T] and values Float[S * H, T, d].

        Args:
            memory (Float[S, T, K])
        """
        keys = self.split_heads(self.k_proj(memory) * self.scale)
        values = self.split_heads(self.v_proj(memory))
        keys = keys.transpose(2, 3).contiguous()
        return keys.flatten(0, 1), values.contiguous().flatten(0, 1)

    def joint_projection(self):
        """For a search: bias [3D] and weight [D, 3D] of scaled queries, keys, values."""
        parts = (self.q_proj, self.k_proj, self.v_proj)
        biases, weights = [p.bias for p in parts], [p.weight.t() for p in parts]
        biases[0], weights[0] = biases[0] * self.scale, weights[0] * self.scale
        return torch.cat(biases), torch.cat(weights, dim=1).contiguous()
