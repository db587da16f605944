#!/usr/bin/env python3
"""Seconds that the encoders of several checkpoints take for one text, as JSON.

    python scripts/experiments/steps/encoder_time.py DATA SPLIT CHECKPOINT... \\
        --out seconds.json

Batches of equally many sentences, sorted by length; interleaved medians in one process
on one core.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

import torch

REPO = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(REPO), str(REPO / "scripts/benchmarks")]

from bench_encoder import median_times  # noqa: E402
from fairseq import checkpoint_utils  # noqa: E402

import fairseq_bytefusion  # noqa: E402, F401
from data_prep.output import run_script  # noqa: E402
from scripts.experiments.steps.recording import write_json  # noqa: E402


def batches(task, split, size):
    """list of Long[B, T]: the sources of a split."""
    task.load_dataset(split)
    dataset = task.dataset(split)
    order = sorted(range(len(dataset)), key=lambda i: dataset.lengths[0][i])
    chunks = [order[start : start + size] for start in range(0, len(order), size)]
    samples = [dataset.collater([dataset[i] for i in chunk]) for chunk in chunks]
    return [sample["net_input"]["src_tokens"] for sample in samples]


@torch.no_grad()
def encode(encoder, tokens):
    for batch in tokens:
        encoder(batch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data")
    parser.add_argument("split")
    parser.add_argument("checkpoints", nargs="+")
    parser.add_argument("--batch-size", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    functions = {}
    for path in options.checkpoints:
        (model,), _, task = checkpoint_utils.load_model_ensemble_and_task(
            [path], {"data": options.data}
        )
        tokens = batches(task, options.split, options.batch_size)
        functions[path] = partial(encode, model.encoder.eval(), tokens)
    write_json(options.out, median_times(functions, options.rounds))


if __name__ == "__main__":
    run_script(main)
