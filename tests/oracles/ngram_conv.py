"""nCF with explicit loops (Sreedhar et al. 2023, equations 4-7) and the share of each n."""

import statistics

import torch


def ngram_terms(module, states):
    """``lambda_n F^n`` for each n.

    Args:
        module (NgramConvolution): gives the weights.
        states (Float[T, D]): one sentence, without padding.

    Returns:
        dict of int to list of Float[D]: n -> a vector a position.
    """
    length, dim = states.shape
    terms = {}
    for n, weight in zip(module.kernels, module.lambdas()):
        terms[n] = []
        for t in range(length):
            if str(n) not in module.convs:
                terms[n].append(weight * states[t])
                continue
            conv = module.convs[str(n)]
            ngram = conv.bias
            first = t - t % n
            for k in range(n):
                if first + k < length:
                    kernel = conv.weight[:, k * dim : (k + 1) * dim]
                    ngram = ngram + kernel @ states[first + k]
            terms[n].append(weight * ngram)
    return terms


def ngram_convolution(module, states):
    """What ``modules.fusion.NgramConvolution`` must compute.

    Args:
        module (NgramConvolution): gives the weights.
        states (Float[T, D]): one sentence, without padding.

    Returns:
        Float[T, D]
    """
    if not len(states):
        return states
    terms = ngram_terms(module, states)
    return torch.stack([sum(vectors) for vectors in zip(*terms.values())])


def ngram_shares(module, sentences):
    """The standard deviation of each ``lambda_n F^n`` over the sum of all.

    Args:
        module (NgramConvolution): gives the weights.
        sentences (list of Float[T, D]): without padding.

    Returns:
        dict of int to float
    """
    values = {n: [] for n in module.kernels}
    for states in sentences:
        for n, vectors in ngram_terms(module, states).items():
            values[n] += [number for vector in vectors for number in vector.tolist()]
    deviations = {n: statistics.pstdev(numbers) for n, numbers in values.items()}
    return {n: d / sum(deviations.values()) for n, d in deviations.items()}
