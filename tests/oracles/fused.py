"""Fused attention, one query, key and channel at a time (Sengupta et al. 2021, 3.1)."""

import math

import torch

from .attention import multihead_attention


def outer_product(q, keys, values, activation="tanh", scaled=True):
    """The matrix of one query: ``sum_i e_i (outer) v_i``.

    Args:
        q (Float[d])
        keys, values (list of Float[d]): those that the query sees.
        activation (str): ``tanh``, or ``softmax`` over the keys in every channel.
        scaled (bool): divide products by sqrt(d).

    Returns:
        Float[d, d]: row c is channel c of queries and keys, column j of values.
    """
    d = len(q)
    rows = []
    for c in range(d):
        products = [q[c] * k[c] / (math.sqrt(d) if scaled else 1) for k in keys]
        if activation == "tanh":
            e = [torch.tanh(product) for product in products]
        else:
            whole = sum(product.exp() for product in products)
            e = [product.exp() / whole for product in products]
        columns = [sum(x * v[j] for x, v in zip(e, values)) for j in range(d)]
        rows.append(torch.stack([q.new_zeros(()) + column for column in columns]))
    return torch.stack(rows)


def outer_attention(branch, query, memory, sees, activation="tanh", scaled=True):
    """What a ``modules.attention.OuterProductBranch`` must compute.

    Args:
        branch (OuterProductBranch): gives the weights.
        query (Float[T, D]), memory (Float[S, K]): one sentence.
        sees (callable): ``sees(t, s)`` says whether query t sees key s.
        activation, scaled: as of :func:`outer_product`.

    Returns:
        Float[T, D]
    """
    q, k, v = branch.q_proj(query), branch.k_proj(memory), branch.v_proj(memory)
    size, rows = branch.head_dim, []
    for t in range(len(query)):
        seen, heads = [s for s in range(len(memory)) if sees(t, s)], []
        for h in range(branch.num_heads):
            part = slice(h * size, (h + 1) * size)
            keys, values = [k[s, part] for s in seen], [v[s, part] for s in seen]
            matrix = outer_product(q[t, part], keys, values, activation, scaled)
            if branch.reduction is None:
                heads.append(torch.stack([matrix[c, c] for c in range(size)]))
            else:
                flat = torch.cat([matrix[c] for c in range(size)])
                heads.append(branch.reduction.weight @ flat)
        rows.append(branch.out_proj(torch.cat(heads)))
    return torch.stack(rows)


def fused_attention(module, query, memory, sees, gate, activation="tanh", scaled=True):
    """What a ``modules.attention.FusedAttention`` must compute.

    Args:
        module (FusedAttention): gives the weights.
        query, memory, sees, activation, scaled: as of :func:`outer_attention`.
        gate (str): of ``modules.attention.gates``.

    Returns:
        Float[T, D]
    """
    softmax, outer = module.branches
    z_self = multihead_attention(softmax, query, memory, sees)
    z_outer = outer_attention(outer, query, memory, sees, activation, scaled)
    rows = []
    for x, first, second in zip(query, z_self, z_outer):
        a1, a2 = gate_weights(module.gate, gate, x, first, second)
        rows.append(a1 * first + a2 * second)
    return torch.stack(rows)


def gate_weights(module, gate, x, z_self, z_outer):
    """a1 and a2 of one token, whose vectors are Float[D]."""
    if gate == "scalar":
        g1, g2 = module.weight
    elif gate == "token":
        g1, g2 = (w @ x + b for w, b in zip(module.map.weight, module.map.bias))
    else:
        g1 = 1 / (1 + (-(module.of_first.weight[0] @ z_self)).exp())
        g2 = 1 / (1 + (-(module.of_second.weight[0] @ z_outer)).exp())
    return g1.exp() / (g1.exp() + g2.exp()), g2.exp() / (g1.exp() + g2.exp())
