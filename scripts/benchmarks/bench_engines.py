"""Beam search with the same weights: ours, and CTranslate2's in C++ (float32 and int8).

The engines alternate batch by batch within one process, so that a busy machine slows all
alike. Models are exported by ``bytefusion export``'s own function.

    python scripts/benchmarks/bench_engines.py                   # 6 + 6 layers, width 512
    python scripts/benchmarks/bench_engines.py --sharpness 1     # hypotheses share less
    python scripts/benchmarks/bench_engines.py --checkpoint C.pt --text test.de

Random models write exactly ``--length`` bytes; with ``--checkpoint`` a trained model's
translations end by themselves, or at three bytes a byte of the source and 50 more. Ours
keeps to valid UTF-8 there, CTranslate2 does not.

``over float32``: our seconds over those of CTranslate2 in float32: below 1 ours is sooner.
``same``: translations in which both agree, symbol by symbol.
"""

import argparse
import statistics
import tempfile
import time
from argparse import Namespace
from pathlib import Path

import ctranslate2
import torch
from bench_decoder import build_models, random_batch, show

from fairseq_bytefusion.export import export_to_ctranslate2
from fairseq_bytefusion.generation import ByteTranslator
from fairseq_bytefusion.generation.batching import batches_by_length
from fairseq_bytefusion.tasks.byte_translation import (
    ByteTranslationConfig,
    ByteTranslationTask,
)
from fairseq_bytefusion.text import ByteDictionary

BATCHES, LENGTHS, BEAM = (1, 8, 32), (200, 800), 5
TYPES = ("float32", "int8")
RATIO, MORE = 3, 50


class Engines:
    """One model in all engines.

    Args:
        models (list of FairseqModel): one.
        task (ByteTranslationTask)
        folder (str): for the exported model.
    """

    def __init__(self, models, task, folder):
        self.models, self.task = models, task
        export_to_ctranslate2(models[0], task, folder, overwrite=True)
        threads = torch.get_num_threads()
        self.others = {
            kind: ctranslate2.Translator(
                folder, "cpu", compute_type=kind, intra_threads=threads
            )
            for kind in TYPES
        }

    def runs(self, sample, limits):
        """Functions that translate a batch, by engine; each returns lists of ids."""
        dictionary = self.task.target_dictionary
        args = Namespace(beam=BEAM, **limits)
        generator = self.task.build_generator(self.models, args)
        source = self.task.source_dictionary
        rows = [
            [source[i] for i in row.tolist() if i not in (source.pad(), source.eos())]
            for row in sample["net_input"]["src_tokens"]
        ]
        longest = max(map(len, rows)) + 1
        options = {
            "beam_size": BEAM,
            "min_decoding_length": limits.get("min_len", 1),
            "max_decoding_length": limits["max_len_a"] * longest + limits["max_len_b"],
        }

        def ours():
            found = self.task.inference_step(generator, self.models, sample)
            return [beam[0]["tokens"].tolist()[:-1] for beam in found]

        def other(engine):
            found = engine.translate_batch(rows, **options)
            return [[dictionary.index(s) for s in x.hypotheses[0]] for x in found]

        return {
            "ours": ours,
            **{kind: lambda e=engine: other(e) for kind, engine in self.others.items()},
        }


def timed(runs):
    """Seconds and results of each of ``runs``, by engine."""
    seconds, found = {}, {}
    for name, function in runs.items():
        began = time.perf_counter()
        found[name] = function()
        seconds[name] = time.perf_counter() - began
    return seconds, found


def row_of(seconds, found, **cell):
    """A row of the table: ``seconds`` and ``found`` by engine."""
    ours = found["ours"]
    return {
        **cell,
        "sentences": len(ours),
        "ours sent/s": len(ours) / seconds["ours"],
        **{f"over {kind}": seconds["ours"] / seconds[kind] for kind in TYPES},
        **{f"same, {k}": sum(map(list.__eq__, ours, found[k])) for k in TYPES},
    }


def measure_random(engines, batch, length, args):
    """Medians over rounds, at a fixed length."""
    sample = random_batch(batch, length, args.seed, torch.device("cpu"))
    limits = {"min_len": length, "max_len_a": 0, "max_len_b": length}
    runs, rounds = engines.runs(sample, limits), []
    for _ in range(args.rounds):
        seconds, found = timed(runs)
        rounds.append(seconds)
    medians = {name: statistics.median(s[name] for s in rounds) for name in rounds[0]}
    return row_of(medians, found, batch=batch, length=length)


def measure_text(engines, translator, batch, args):
    """All batches of a text, in order of length; seconds are sums."""
    lines = [x for x in Path(args.text).read_text("utf-8").split("\n") if x]
    tokens, lengths = translator.task.get_interactive_tokens_and_lengths(
        lines[: args.sentences], lambda line: line
    )
    dataset = translator.task.build_dataset_for_inference(tokens, lengths)
    limits = {"max_len_a": RATIO, "max_len_b": MORE}
    sums, found = dict.fromkeys(("ours", *TYPES), 0.0), {}
    for chosen in batches_by_length(lengths, batch, False):
        sample = dataset.collater([dataset[i] for i in chosen])
        seconds, translations = timed(engines.runs(sample, limits))
        for name in sums:
            sums[name] += seconds[name]
            found.setdefault(name, []).extend(translations[name])
    return row_of(sums, found, batch=batch)


def random_engines(args, folder):
    """A model with random weights, as sure of its nonsense as ``args.sharpness`` says."""
    built = build_models(args.arch, args.seed, torch.device("cpu"))["ours"]
    with torch.no_grad():  # where it comes from it is 4
        built.decoder.output_projection.weight.mul_(args.sharpness / 4)
    built.make_generation_fast_()
    config = ByteTranslationConfig(
        source_lang="xx", target_lang="en", allow_invalid_utf8=True
    )
    dictionary = ByteDictionary()
    return Engines([built], ByteTranslationTask(config, dictionary, dictionary), folder)


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--batch", type=int, nargs="+", default=BATCHES)
    parser.add_argument("--length", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--arch", default="byte_transformer")
    parser.add_argument("--sharpness", type=float, default=4.0, help="of the output")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--checkpoint", help="with --text: a trained model instead")
    parser.add_argument("--text", help="sources for --checkpoint, one a line")
    parser.add_argument("--sentences", type=int, default=1000)
    args = parser.parse_args()
    if (args.checkpoint is None) != (args.text is None):
        parser.error("--checkpoint and --text go together")
    return args


def main():
    args = parse_args()
    what = args.checkpoint or f"{args.arch}, random, sharpness {args.sharpness:g}"
    print(f"{what}, beam {BEAM}, {torch.get_num_threads()} threads", end=", ")
    print(f"torch {torch.__version__}, ctranslate2 {ctranslate2.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        if args.checkpoint:
            translator = ByteTranslator.from_pretrained(args.checkpoint, "cpu")
            engines = Engines(translator.models, translator.task, f"{folder}/model")
            show(measure_text(engines, translator, batch, args) for batch in args.batch)
        else:
            engines = random_engines(args, f"{folder}/model")
            cells = [(batch, length) for length in args.length for batch in args.batch]
            show(measure_random(engines, *cell, args) for cell in cells)


if __name__ == "__main__":
    main()
