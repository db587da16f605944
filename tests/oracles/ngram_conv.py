"""nCF with explicit loops (Sreedhar et al. 2023, equations 4-7)."""

import torch


def ngram_convolution(module, states):
    """What ``modules.fusion.NgramConvolution`` must compute.

    Args:
        module (NgramConvolution): gives the weights.
        states (Float[T, D]): one sentence, without padding.

    Returns:
        Float[T, D]
    """
    length, dim = states.shape
    fused = [torch.zeros(dim, dtype=states.dtype) for _ in range(length)]
    for n, weight in zip(module.kernels, module.lambdas()):
        for t in range(length):
            if str(n) not in module.convs:
                fused[t] = fused[t] + weight * states[t]
                continue
            conv = module.convs[str(n)]
            ngram = conv.bias
            first = t - t % n
            for k in range(n):
                if first + k < length:
                    kernel = conv.weight[:, k * dim : (k + 1) * dim]
                    ngram = ngram + kernel @ states[first + k]
            fused[t] = fused[t] + weight * ngram
    return torch.stack(fused) if fused else states
