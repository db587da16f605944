"""Attention pooling, one state at a time (Yang et al. 2016, equations 5 to 7)."""

import torch


def attention_pooling(module, states):
    """What ``modules.attention_pooling.AttentionPooling`` must compute.

    Args:
        module (AttentionPooling): gives W, b, u_w.
        states (Float[C, D]): one sequence, without padding.

    Returns:
        Float[D]
    """
    u_w = module.context.weight[0]
    exponentials = []
    for h in states:
        u = torch.tanh(module.projection.weight @ h + module.projection.bias)
        exponentials.append(torch.exp(u @ u_w))
    return sum(e / sum(exponentials) * h for e, h in zip(exponentials, states))
