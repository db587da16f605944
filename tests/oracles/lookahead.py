"""The loss of heads that look ahead, one symbol after the other."""

import torch


def lookahead_loss(states, target, weight, bias, project, padding, smoothing):
    """Weighted sum of the losses of all heads, and how often each is right and of what.

    Args:
        states (Float[B, T, D]): the decoder's last ones.
        target (Long[B, T])
        weight (Float[K * D, D]), bias (Float[K * D]): of the heads, side by side.
        project (callable): Float[D] -> logits Float[V].
        padding (int)
        smoothing (float): label smoothing, as fairseq's.

    Returns:
        tuple: Float[] and a list of [int, int].
    """
    batch, length, dim = states.shape
    heads, total, counts = len(weight) // dim, states.new_zeros(()), []
    for j in range(1, heads + 1):
        own = slice((j - 1) * dim, j * dim)
        counts.append([0, 0])
        for b in range(batch):
            for t in range(length - j):
                wanted = int(target[b, t + j])
                if wanted == padding:
                    continue
                ahead = weight[own] @ states[b, t] + bias[own]
                logits = project(states[b, t] + ahead * torch.sigmoid(ahead))
                log_probs = logits.log_softmax(-1)
                even = smoothing / (len(logits) - 1)
                loss = -(1 - smoothing - even) * log_probs[wanted] - even * log_probs.sum()
                total = total + 0.8**j * loss
                counts[-1][0] += int(log_probs.argmax()) == wanted
                counts[-1][1] += 1
    return total, counts
