#!/usr/bin/env python3
"""A pre-trained encoder with its pieces, with composed words, and with both.

Parameters, vectors a sentence, and the time that encoding a sentence takes, words cut and
composed included. Interleaved medians in one process: in every round each encodes the whole
text once, in turn. The composer has random weights, which take as long as any others.

    python scripts/benchmarks/bench_pretrained.py --pretrained DIR --text valid.en
"""

import argparse
import sys
from functools import partial
from pathlib import Path

import torch
from bench_encoder import median_times

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO))

from fairseq_bytefusion.checkpoints.pretrained_size import (  # noqa: E402
    parameters_by_part,
)
from fairseq_bytefusion.data.hugging_face import read_layers, read_parts  # noqa: E402
from fairseq_bytefusion.models.options import check, complete  # noqa: E402
from fairseq_bytefusion.models.options.labelling import ByteTaggerConfig  # noqa: E402
from fairseq_bytefusion.models.pretrained_encoder import PretrainedEncoder  # noqa: E402
from fairseq_bytefusion.modules.pretrained import INPUTS, PretrainedParts  # noqa: E402
from fairseq_bytefusion.text import ByteDictionary  # noqa: E402
from fairseq_bytefusion.text.labelled_lines import numbered_lines  # noqa: E402

CHAR2SUBWORD = {"encoder_embedder": "char2subword"}


def build(mode, parts, weights, sizes, dictionary):
    """An encoder of a mode (str of ``INPUTS``) in eval mode."""
    given = argparse.Namespace(
        encoder_type="pretrained",
        pretrained="DIR",
        pretrained_input=mode,
        max_source_positions=2048,
        **parts.sizes(),
        **({} if mode == "pieces" else {**CHAR2SUBWORD, **sizes}),
    )
    options = complete(ByteTaggerConfig, given)
    check(ByteTaggerConfig, options, dictionary)
    encoder = PretrainedEncoder.build(options, dictionary, parts)
    encoder.load_layers(weights)
    return encoder.eval()


def batches_of(path, encoder, dictionary, batch_size):
    """list of Long[B, T]: the sentences of a file by length, cut where ``encoder`` has no
    more positions."""
    rows = [
        encoder.embed_tokens.shorten(dictionary.encode_line(line)).long()
        for _, line in numbered_lines(path)
        if line.strip()
    ]
    rows.sort(key=len)
    return [
        torch.nn.utils.rnn.pad_sequence(
            rows[start : start + batch_size], True, dictionary.pad()
        )
        for start in range(0, len(rows), batch_size)
    ]


@torch.no_grad()
def vectors_of(encoder, batches):
    """int: how many vectors enter the layers, ``[CLS]`` and ``[SEP]`` among them."""
    paddings = [encoder.embed_tokens(batch, encoder.table)[1] for batch in batches]
    return sum(int((~padding).sum()) for padding in paddings)


@torch.no_grad()
def run(encoder, batches):
    """Encode all ``batches`` (list of Long[B, T])."""
    for batch in batches:
        encoder(batch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pretrained", required=True, metavar="DIR")
    parser.add_argument("--text", required=True, metavar="FILE", help="a sentence a line")
    parser.add_argument("--char-embed-dim", type=int, default=256)
    parser.add_argument("--char2subword-layers", type=int, default=2)
    parser.add_argument("--char2subword-heads", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=32, help="sentences")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    names = ("char_embed_dim", "char2subword_layers", "char2subword_heads")
    sizes = {name: getattr(options, name) for name in names}
    dictionary = ByteDictionary()
    parts = PretrainedParts(**read_parts(options.pretrained))
    weights = read_layers(options.pretrained)
    encoders = {mode: build(mode, parts, weights, sizes, dictionary) for mode in INPUTS}
    # Cut alike for all of them: pieces have the least room.
    batches = batches_of(options.text, encoders["pieces"], dictionary, options.batch_size)
    count = sum(map(len, batches))
    seconds = median_times(
        {mode: partial(run, encoder, batches) for mode, encoder in encoders.items()},
        options.rounds,
    )
    print(
        f"torch {torch.__version__}, {options.threads} threads, fp32, {count} sentences in "
        f"batches of {options.batch_size}, {options.rounds} rounds"
    )
    print(
        "\n| input | table | word composer | layers | vectors a sentence | ms a sentence |"
    )
    print("|---|---|---|---|---|---|")
    for mode, encoder in encoders.items():
        named = {f"encoder.{name}": p for name, p in encoder.named_parameters()}
        found = parameters_by_part(named, f"encoder.{encoder.table_name}")
        vectors = vectors_of(encoder, batches) / count
        numbers = " | ".join(f"{number:,}" for number in found.values())
        print(f"| {mode} | {numbers} | {vectors:.1f} | {1e3 * seconds[mode] / count:.2f} |")


if __name__ == "__main__":
    main()
