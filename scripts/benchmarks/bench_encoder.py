#!/usr/bin/env python3
"""Forward and backward time of the encoders against fairseq's own.

Interleaved medians in one process: in every round each encoder runs once, in turn.
Rows are cut from real text, so that words have realistic lengths; every batch has the
same number of bytes and no padding. Peak memory is that of a process of its own. The
convolutions of char-cnn are not among its matrix products.

    python scripts/benchmarks/bench_encoder.py --rounds 7
"""

import argparse
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import torch
from matmul_time import products, record
from process_memory import megabytes

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO))

from fairseq_bytefusion.models.byte_transformer import ByteTransformerModel  # noqa: E402
from fairseq_bytefusion.models.options.byte_transformer import (  # noqa: E402
    ByteTransformerConfig,
)
from fairseq_bytefusion.modules.embedders import COMPOSERS  # noqa: E402
from fairseq_bytefusion.modules.fusion import FUSIONS  # noqa: E402
from fairseq_bytefusion.text import ByteDictionary  # noqa: E402

TEXT = REPO / "data_prep/sample/train.hinglish-en.hinglish"
ENCODERS = ("fairseq", "none", *FUSIONS, *COMPOSERS)


class Dictionaries:
    source_dictionary = target_dictionary = ByteDictionary()


def build_encoder(name, options):
    """An encoder of ``ENCODERS`` in training mode; all of the same size."""
    torch.manual_seed(1)
    cfg = ByteTransformerConfig()
    cfg.max_source_positions = cfg.max_target_positions = 2048
    cfg.dropout = options.dropout
    cfg.decoder_layers = 1
    for side in ("encoder", "decoder"):
        setattr(cfg, f"{side}_embed_dim", options.dim)
        setattr(cfg, f"{side}_ffn_embed_dim", 4 * options.dim)
    cfg.encoder_layers = options.layers
    if name == "fairseq":
        from fairseq.models.transformer import TransformerConfig, TransformerModelBase

        nested = TransformerConfig.from_namespace(cfg)
        nested.decoder.input_dim = nested.decoder.output_dim = options.dim
        return TransformerModelBase.build_model(nested, Dictionaries).encoder.train()
    cfg.encoder_embedder = name if name in COMPOSERS else "dense"
    cfg.encoder_fusion = name if name in FUSIONS else "none"
    return ByteTransformerModel.build_model(cfg, Dictionaries).encoder.train()


def real_text_batch(length, num_tokens, path):
    """Long[num_tokens / length, length]: rows cut from the lines of ``path``."""
    stream = b" ".join(path.read_bytes().split(b"\n"))
    rows = num_tokens // length
    dictionary = Dictionaries.source_dictionary
    cuts = [stream[i * (length - 1) : (i + 1) * (length - 1)] for i in range(rows)]
    if len(cuts[-1]) < length - 1:
        raise SystemExit(f"{path} is too short for {rows} rows of {length} bytes")
    return torch.stack([dictionary.encode_line(cut).long() for cut in cuts])


def step(encoder, batch):
    """One forward and backward pass."""
    encoder.zero_grad(set_to_none=True)
    encoder(batch)["encoder_out"][0].square().mean().backward()


def compose(encoder, batch):
    """One forward and backward pass of the embedder alone."""
    encoder.zero_grad(set_to_none=True)
    encoder.embed_tokens(batch)[0].square().mean().backward()


def median_times(functions, rounds):
    """Median seconds of each function; they run in turn in every round."""
    times = {name: [] for name in functions}
    for round_number in range(rounds + 1):
        # Forth and back in turn: whatever follows from the order cancels out.
        order = list(functions.items())[:: 1 if round_number % 2 else -1]
        for name, function in order:
            start = time.perf_counter()
            function()
            if round_number:  # the first round warms up
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def peak_memory(name, length, options):
    """MiB that a forward and backward pass adds, measured in a process of its own."""
    command = [sys.executable, __file__, "--memory-of", name, "--lengths", str(length)]
    command += ["--threads", str(options.threads)]
    for flag in ("dim", "layers", "tokens", "dropout", "text"):
        command += ["--" + flag.replace("_", "-"), str(getattr(options, flag))]
    return float(subprocess.run(command, check=True, capture_output=True).stdout)


def print_memory(name, length, options):
    encoder = build_encoder(name, options)
    batch = real_text_batch(length, options.tokens, options.text)
    before = megabytes("VmHWM")
    step(encoder, batch)
    print(megabytes("VmHWM") - before)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lengths", default="64,256,1024", help="row lengths in bytes")
    parser.add_argument(
        "--encoders",
        nargs="+",
        choices=ENCODERS,
        default=ENCODERS,
        help="those to run; ratios need fairseq and none",
    )
    parser.add_argument("--tokens", type=int, default=4096, help="bytes in a batch")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dim", type=int, default=512)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--text", type=Path, default=TEXT)
    parser.add_argument("--memory-of", choices=ENCODERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    lengths = [int(length) for length in options.lengths.split(",")]
    if options.memory_of:
        print_memory(options.memory_of, lengths[0], options)
        return

    print(
        f"torch {torch.__version__}, {options.threads} threads, fp32, d={options.dim}, "
        f"{options.layers} layers, {options.tokens} bytes a batch, {options.rounds} rounds"
    )
    print(
        "\n| T | encoder | seconds | vs fairseq | vs none | vs its matrix products "
        "| embedder vs none | MiB |"
    )
    print("|---|---|---|---|---|---|---|---|")
    encoders = {name: build_encoder(name, options) for name in options.encoders}
    for length in lengths:
        batch = real_text_batch(length, options.tokens, options.text)
        functions = {}
        for name, encoder in encoders.items():
            run = functions[name] = partial(step, encoder, batch)
            functions[name, "products"] = products(record(run))
            if name != "fairseq":
                functions[name, "embedder"] = partial(compose, encoder, batch)
        seconds = median_times(functions, options.rounds)
        for name in options.encoders:
            share = ""  # fairseq scales what its embedder returns elsewhere
            if (name, "embedder") in seconds:
                share = f"{seconds[name, 'embedder'] / seconds['none']:.3f}"
            print(
                f"| {length} | {name} | {seconds[name]:.3f} "
                f"| {seconds[name] / seconds['fairseq']:.3f} "
                f"| {seconds[name] / seconds['none']:.3f} "
                f"| {seconds[name] / seconds[name, 'products']:.3f} "
                f"| {share} "
                f"| {peak_memory(name, length, options):.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
