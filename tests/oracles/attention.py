"""Multi-head attention, one query and one key at a time (Vaswani et al. 2017, 3.2)."""

import torch


def multihead_attention(module, query, memory, visible):
    """What ``modules.attention.MultiheadAttention`` must compute.

    Args:
        module (MultiheadAttention): gives the weights.
        query (Float[T, D]), memory (Float[S, K]): one sentence.
        visible (callable): ``visible(t, s)`` says whether query t sees key s.

    Returns:
        Float[T, D]
    """
    q, k, v = module.q_proj(query), module.k_proj(memory), module.v_proj(memory)
    size = module.head_dim
    rows = []
    for t in range(len(query)):
        heads = []
        for h in range(module.num_heads):
            part = slice(h * size, (h + 1) * size)
            seen = [s for s in range(len(memory)) if visible(t, s)]
            scores = torch.stack([q[t, part] @ k[s, part] for s in seen]) / size**0.5
            weights = scores.exp() / scores.exp().sum()
            heads.append(sum(w * v[s, part] for w, s in zip(weights, seen)))
        rows.append(module.out_proj(torch.cat(heads)))
    return torch.stack(rows)
