#!/usr/bin/env python3
"""Forward and backward time of fused attention against softmax attention.

Whole modules, projections included, each with self-attention over states without padding.
Interleaved medians in one process: in every round each runs once, in turn. The bound is
what the activations alone take: B T² D evaluations of tanh, forward, and again backward.

    python scripts/benchmarks/bench_fused.py --rounds 7
"""

import argparse
import sys
from functools import partial
from pathlib import Path

import torch
from bench_encoder import median_times

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO))

from fairseq_bytefusion.modules.attention import (  # noqa: E402
    Causal,
    Full,
    FusedAttention,
    MultiheadAttention,
)

SIZES = "64x32x128,16x256x128,4x1024x128"
MODULES = {
    "softmax": MultiheadAttention,
    "fused": FusedAttention,
    "fused, linear": partial(FusedAttention, reduce="linear"),
    "fused, softmax": partial(FusedAttention, activation="softmax"),
}
# As many numbers at a time as lie in a CPU's cache.
CHUNK = 2**17


def step(module, x, geometry):
    """One forward and backward pass."""
    module.zero_grad(set_to_none=True)
    x.grad = None
    module(x, x, geometry)[0].square().mean().backward()


def tanh_alone(count):
    """``count`` evaluations of tanh, and as many again, in a cache."""
    x = torch.randn(CHUNK)
    for _ in range(2 * -(-count // CHUNK)):
        torch.tanh_(x)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default=SIZES, help="batch x length x width, each")
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--modules", nargs="+", choices=MODULES, default=[*MODULES])
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    geometry = Causal() if options.causal else Full()
    seen = "causal" if options.causal else "full"
    print(
        f"torch {torch.__version__}, {options.threads} threads, fp32, "
        f"{options.heads} heads, {seen}, {options.rounds} rounds"
    )
    print("\n| B, T, D | attention | seconds | vs softmax | vs tanh alone |")
    print("|---|---|---|---|---|")
    for size in options.sizes.split(","):
        batch, length, dim = map(int, size.split("x"))
        torch.manual_seed(1)
        x = torch.randn(batch, length, dim, requires_grad=True)
        functions = {
            name: partial(step, MODULES[name](dim, options.heads), x, geometry)
            for name in ["softmax", *options.modules]
        }
        functions["tanh alone"] = partial(tanh_alone, batch * length**2 * dim)
        seconds = median_times(functions, options.rounds)
        for name, found in seconds.items():
            print(
                f"| {batch}, {length}, {dim} | {name} | {found:.3f} "
                f"| {found / seconds['softmax']:.2f} "
                f"| {found / seconds['tanh alone']:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
