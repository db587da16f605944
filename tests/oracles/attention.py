"""Multi-head attention, one query and one key at a time (Vaswani et al. 2017, 3.2)."""

import torch


def softmax(scores):
    return scores.exp() / scores.exp().sum()


def multihead_attention(branch, query, memory, sees, weights_of=softmax):
    """What a ``modules.attention.Branch`` must compute.

    Args:
        branch (Branch): gives the weights.
        query (Float[T, D]), memory (Float[S, K]): one sentence.
        sees (callable): ``sees(t, s)`` says whether query t sees key s.
        weights_of (callable): scaled products of a query with the keys it sees, Float[S'],
            to the weights of these.

    Returns:
        Float[T, D]
    """
    q, k, v = branch.q_proj(query), branch.k_proj(memory), branch.v_proj(memory)
    size = branch.head_dim
    rows = []
    for t in range(len(query)):
        heads = []
        for h in range(branch.num_heads):
            part = slice(h * size, (h + 1) * size)
            seen = [s for s in range(len(memory)) if sees(t, s)]
            scores = torch.stack([q[t, part] @ k[s, part] for s in seen]) / size**0.5
            heads.append(sum(w * v[s, part] for w, s in zip(weights_of(scores), seen)))
        rows.append(branch.out_proj(torch.cat(heads)))
    return torch.stack(rows)
