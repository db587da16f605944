"""The share of decoding time that keeping to valid UTF-8 takes.

Times what ``Utf8Search`` does around fairseq's beam search, within the decoding that it
is part of.

    python scripts/benchmarks/bench_utf8.py
"""

import argparse
import statistics
import time

import torch
from bench_decoder import build_models, clock, random_batch

from fairseq_bytefusion.search.utf8_generator import Utf8SequenceGenerator
from fairseq_bytefusion.text import ByteDictionary


class Stopwatch:
    """Calls a function and sums the seconds it takes."""

    def __init__(self, function):
        self.function = function
        self.seconds = 0.0

    def __call__(self, *args, **kwargs):
        start = time.perf_counter()
        result = self.function(*args, **kwargs)
        self.seconds += time.perf_counter() - start
        return result


def share(model, sample, beam, length):
    """Seconds of one decoding, and what part of them the UTF-8 constraint takes."""
    generator = Utf8SequenceGenerator(
        [model], ByteDictionary(), beam_size=beam, min_len=length, max_len_b=length
    )
    constrained = generator.search.step = Stopwatch(generator.search.step)
    plain = generator.search.search.step = Stopwatch(generator.search.search.step)
    seconds, *_ = clock(lambda: generator.generate([model], sample), torch.device("cpu"))
    return seconds, (constrained.seconds - plain.seconds) / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--batch", type=int, nargs="+", default=(1, 8, 32))
    parser.add_argument("--length", type=int, default=200)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--arch", default="byte_transformer")
    args = parser.parse_args()
    device = torch.device("cpu")
    model = build_models(args.arch, 1, device)["ours"]
    print(f"{args.arch}, {torch.get_num_threads()} threads, torch {torch.__version__}\n")
    print("| batch | length | seconds | UTF-8 share |\n|---|---|---|---|")
    for batch in args.batch:
        sample = random_batch(batch, args.length, 1, device)
        runs = [share(model, sample, args.beam, args.length) for _ in range(args.rounds)]
        seconds, shares = (statistics.median(column) for column in zip(*runs))
        print(f"| {batch} | {args.length} | {seconds:.3g} | {shares:.2%} |", flush=True)


if __name__ == "__main__":
    main()
