"""msc with explicit loops (Huang & Feng 2024, section 3)."""

import torch


def multi_scale(module, states):
    """What ``modules.fusion.MultiScaleContext`` must compute.

    Args:
        module (MultiScaleContext): gives the weights.
        states (Float[T, D]): one sentence, without padding.

    Returns:
        Float[T, D]
    """
    width = states.shape[1] // len(module.kernels)
    weights = group_weights(module, width)
    rows = []
    for t in range(len(states)):
        groups = []
        for i, kernel in enumerate(module.kernels):
            own = slice(i * width, (i + 1) * width)
            if kernel == 0:
                groups.append(states[t, own])
                continue
            weight, group = weights[i]
            first = t - kernel + 1 if module.causal else t - kernel // 2
            for k in range(kernel):
                if 0 <= first + k < len(states):
                    group = group + weight[:, :, k] @ states[first + k, own]
            groups.append(group)
        rows.append(torch.cat(groups))
    return torch.stack(rows) if rows else states


def group_weights(module, width):
    """Group i -> its weight Float[w, w, kernel] and bias Float[w]."""
    biggest = [conv for conv in module.convs for _ in range(conv.groups)]
    place = [j for conv in module.convs for j in range(conv.groups)]
    found, convs = {}, iter(zip(biggest, place))
    for i, kernel in enumerate(module.kernels):
        if kernel:
            conv, j = next(convs)
            rows = slice(j * width, (j + 1) * width)
            found[i] = conv.weight[rows], conv.bias[rows]
    return found
