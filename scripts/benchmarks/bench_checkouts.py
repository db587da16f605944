#!/usr/bin/env python3
"""Encoders and decoding of this checkout against another one, such as the commit before.

    git worktree add ../before COMMIT
    python scripts/benchmarks/bench_checkouts.py --base ../before --rounds 8

A process each keeps its models; the two take turns, case by case, in every round, so that
a busy machine slows both. A ratio is this checkout's time over the other's; the median is
that of the rounds' ratios. ``--clock cpu`` counts processor seconds instead, for a machine
that other work cannot be kept from.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
TEXT = REPO / "data_prep/sample/train.hinglish-en.hinglish"
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
CASES = {  # name: (options of the model, what is done with it)
    "encoder none 256": ({}, "train"),
    "encoder ncf 256": ({"encoder_fusion": "ncf", "fusion_layers": 4}, "train"),
    "encoder wsf 256": ({"encoder_fusion": "wsf", "fusion_layers": 2}, "train"),
    "encoder char2subword 256": ({"encoder_embedder": "char2subword"}, "train"),
    "decode 1 x 100": ({}, (1, 100)),
    "decode 8 x 200": ({}, (8, 200)),
}


def build_case(name):
    """A function that does the work of a case once."""
    import torch
    from fairseq.models import MODEL_DATACLASS_REGISTRY
    from fairseq.sequence_generator import SequenceGenerator

    from fairseq_bytefusion.models.byte_transformer import ByteTransformerModel
    from fairseq_bytefusion.text import ByteDictionary

    class Task:
        source_dictionary = target_dictionary = ByteDictionary()

    given, work = CASES[name]
    cfg = MODEL_DATACLASS_REGISTRY["byte_transformer"]()
    cfg.max_source_positions = cfg.max_target_positions = 2048
    for key, value in {"dropout": 0.0, **given}.items():
        setattr(cfg, key, value)
    torch.manual_seed(1)
    model = ByteTransformerModel.build_model(cfg, Task())
    rows, length = (16, 256) if work == "train" else work
    text = TEXT.read_bytes().replace(b"\n", b" ")
    cuts = [text[i * (length - 1) : (i + 1) * (length - 1)] for i in range(rows)]
    batch = torch.stack([Task.source_dictionary.encode_line(c).long() for c in cuts])
    if work == "train":
        return partial(_train, model.encoder.train(), batch)
    model.eval()
    generator = SequenceGenerator(
        [model],
        Task.target_dictionary,
        beam_size=5,
        max_len_a=0,
        max_len_b=length,
        min_len=length,
    )
    sample = {"net_input": {"src_tokens": batch, "src_lengths": batch.ne(1).sum(1)}}
    return partial(generator.generate, [model], sample)


def _train(encoder, batch):
    encoder.zero_grad(set_to_none=True)
    encoder(batch)["encoder_out"][0].square().mean().backward()


def serve(options):
    """Read names of cases, do each once, answer the seconds it took."""
    import torch

    torch.set_num_threads(options.threads)
    cases, clock = {}, CLOCKS[options.clock]
    for name in map(str.strip, sys.stdin):
        if name not in cases:
            cases[name] = build_case(name)
        start = clock()
        cases[name]()
        print(clock() - start, flush=True)


class Checkout:
    """A process with the code of a folder."""

    def __init__(self, folder, options):
        flags = ["--threads", str(options.threads), "--clock", options.clock]
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--serve", *flags],
            env={**os.environ, "PYTHONPATH": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, case):
        self._process.stdin.write(f"{case}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"{case} failed: see above")
        return float(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--base", type=Path, help="the other checkout")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options)
        return
    if options.base is None or not (options.base / "fairseq_bytefusion").is_dir():
        raise SystemExit(f"--base {options.base}: give the folder of another checkout")
    sides = [Checkout(folder, options) for folder in (REPO, options.base.resolve())]
    print(
        f"{options.threads} threads, {options.rounds} rounds, {options.clock} clock, "
        "this checkout over the other"
    )
    print("\n| case | seconds | other | ratio, median | ratios |")
    print("|---|---|---|---|---|")
    for case in options.cases:
        for side in sides:  # the first run warms up
            side.seconds(case)
        rounds = []
        for number in range(options.rounds):
            order = [0, 1] if number % 2 else [1, 0]
            found = {side: sides[side].seconds(case) for side in order}
            rounds.append((found[0], found[1]))
        ratios = [ours / theirs for ours, theirs in rounds]
        ours, theirs = map(statistics.median, zip(*rounds))
        print(
            f"| {case} | {ours:.3f} | {theirs:.3f} | {statistics.median(ratios):.3f} "
            f"| {min(ratios):.3f} to {max(ratios):.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
