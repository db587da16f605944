"""Beam search with the same weights: ours, and CTranslate2's in C++ (float32 and int8).

Each engine has a process of its own, since the threads of one that has just worked go on
waiting for more, at the cost of whoever is next. They take turns, some batches each, with a
pause between, so that a busy machine slows all alike. Models are exported by ``bytefusion
export``'s own function.

    python scripts/benchmarks/bench_engines.py                   # 6 + 6 layers, width 512
    python scripts/benchmarks/bench_engines.py --sharpness 1     # hypotheses share less
    python scripts/benchmarks/bench_engines.py --checkpoint C.pt --text test.de

Random models write exactly ``--length`` bytes; with ``--checkpoint`` a trained model's
translations end by themselves, or at three bytes a byte of the source and 50 more. Ours
keeps to valid UTF-8 there, CTranslate2 does not.

CTranslate2 runs with one thread or with as many as torch, whichever is sooner on a batch of
each size: with small models on a virtual machine several can be ten times slower than one.

``over float32``: our seconds over those of CTranslate2 in float32: below 1 ours is sooner.
``same``: translations in which both agree, symbol by symbol.
"""

import argparse
import multiprocessing
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
# Threads that have worked look for more work so long; chunks are so many sentences.
PAUSE, CHUNK = 0.5, 64


def load(args):
    """The model, and the task that it is of."""
    if args.checkpoint:
        translator = ByteTranslator.from_pretrained(args.checkpoint, "cpu")
        return translator.models[0], translator.task
    built = build_models(args.arch, args.seed, torch.device("cpu"))["ours"]
    with torch.no_grad():  # where it comes from it is 4
        built.decoder.output_projection.weight.mul_(args.sharpness / 4)
    built.make_generation_fast_()
    config = ByteTranslationConfig(
        source_lang="xx", target_lang="en", allow_invalid_utf8=True
    )
    dictionary = ByteDictionary()
    return built, ByteTranslationTask(config, dictionary, dictionary)


class Ours:
    """Our search; batches are lists of ids, ``</s>`` behind each."""

    def __init__(self, args, folder):
        self.model, self.task = load(args)
        self.threads = torch.get_num_threads()

    def warm_up(self, rows, limits):
        """Do what need not be timed."""
        self.prepared(rows, limits)()

    def prepared(self, rows, limits):
        """A function that translates a batch, and returns ids without ``</s>``."""
        pad = self.task.source_dictionary.pad()
        tokens = torch.nn.utils.rnn.pad_sequence(list(map(torch.tensor, rows)), True, pad)
        lengths = torch.tensor(list(map(len, rows)))
        sample = {"net_input": {"src_tokens": tokens, "src_lengths": lengths}}
        args = Namespace(beam=BEAM, **limits)
        generator = self.task.build_generator([self.model], args)

        def run():
            found = self.task.inference_step(generator, [self.model], sample)
            return [beam[0]["tokens"].tolist()[:-1] for beam in found]

        return run


class Theirs:
    """CTranslate2; takes and returns what :class:`Ours` does."""

    def __init__(self, args, folder):
        self.engines = {
            threads: ctranslate2.Translator(
                folder, "cpu", compute_type=self.kind, intra_threads=threads
            )
            for threads in {1, torch.get_num_threads()}
        }
        self.threads = 1
        task = load(args)[1]
        self.source, self.target = task.source_dictionary, task.target_dictionary

    def warm_up(self, rows, limits):
        """Find the number of threads that a batch of this size is translated with."""
        seconds = {}
        for threads in self.engines:
            self.threads = threads
            run = self.prepared(rows, limits)
            run()
            began = time.perf_counter()
            run()
            seconds[threads] = time.perf_counter() - began
        self.threads = min(seconds, key=seconds.get)

    def prepared(self, rows, limits):
        """As of :class:`Ours`."""
        texts = [[self.source[i] for i in row[:-1]] for row in rows]
        longest = max(map(len, rows))
        options = {
            "beam_size": BEAM,
            "min_decoding_length": limits.get("min_len", 1),
            "max_decoding_length": limits["max_len_a"] * longest + limits["max_len_b"],
        }

        engine = self.engines[self.threads]

        def run():
            found = engine.translate_batch(texts, **options)
            return [[self.target.index(s) for s in x.hypotheses[0]] for x in found]

        return run


class Float32(Theirs):
    kind = "float32"


class Int8(Theirs):
    kind = "int8"


ENGINES = {"ours": Ours, "float32": Float32, "int8": Int8}


def work(connection, engine, args, folder):
    """In a process of its own: translate what comes, and say how long it took."""
    engine = engine(args, folder)
    while (message := connection.recv()) is not None:
        batches, limits, is_warming_up = message
        if is_warming_up:
            engine.warm_up(batches[0], limits)
        runs = [engine.prepared(rows, limits) for rows in batches]
        began = time.perf_counter()
        found = [ids for run in runs for ids in run()]
        connection.send((time.perf_counter() - began, found, engine.threads))


class Engines:
    """All engines, taking turns.

    Args:
        args (Namespace)
        folder (str): of the exported model.
    """

    def __init__(self, args, folder):
        context = multiprocessing.get_context("spawn")
        self.connections, self.threads = {}, {}
        for name, engine in ENGINES.items():
            self.connections[name], other = context.Pipe()
            arguments = other, engine, args, folder
            context.Process(target=work, args=arguments, daemon=True).start()

    def timed(self, batches, limits, is_warming_up=False):
        """Seconds and translations of some batches, by engine."""
        seconds, found = {}, {}
        for name, connection in self.connections.items():
            connection.send((batches, limits, is_warming_up))
            seconds[name], found[name], self.threads[name] = connection.recv()
            time.sleep(PAUSE)
        return seconds, found

    def close(self):
        for connection in self.connections.values():
            connection.send(None)


def row_of(engines, seconds, found, **cell):
    """A row of the table: ``seconds`` and ``found`` by engine."""
    ours = found["ours"]
    return {
        **cell,
        "sentences": len(ours),
        "ours sent/s": len(ours) / seconds["ours"],
        **{f"over {kind}": seconds["ours"] / seconds[kind] for kind in TYPES},
        **{f"threads, {kind}": engines.threads[kind] for kind in TYPES},
        **{f"same, {k}": sum(map(list.__eq__, ours, found[k])) for k in TYPES},
    }


def measure_random(engines, batch, length, args):
    """Medians over rounds, at a fixed length."""
    sample = random_batch(batch, length, args.seed, torch.device("cpu"))
    tokens, lengths = sample["net_input"].values()
    rows = [row[:n].tolist() for row, n in zip(tokens, lengths.tolist())]
    limits = {"min_len": length, "max_len_a": 0, "max_len_b": length}
    engines.timed([rows], {**limits, "min_len": 16, "max_len_b": 16}, True)
    rounds = []
    for _ in range(args.rounds):
        seconds, found = engines.timed([rows], limits)
        rounds.append(seconds)
    medians = {name: statistics.median(s[name] for s in rounds) for name in rounds[0]}
    return row_of(engines, medians, found, batch=batch, length=length)


def measure_text(engines, task, batch, args):
    """All batches of a text, in order of length; seconds are sums."""
    lines = [x for x in Path(args.text).read_text("utf-8").split("\n") if x]
    tokens, lengths = task.get_interactive_tokens_and_lengths(
        lines[: args.sentences], lambda line: line
    )
    batches = [
        [tokens[i].tolist() for i in chosen]
        for chosen in batches_by_length(lengths, batch, False)
    ]
    limits = {"max_len_a": RATIO, "max_len_b": MORE}
    engines.timed(batches[:1], limits, True)
    sums, found = dict.fromkeys(ENGINES, 0.0), {}
    together = max(1, CHUNK // batch)
    for start in range(0, len(batches), together):
        chunk = batches[start : start + together]
        seconds, translations = engines.timed(chunk, limits)
        for name in sums:
            sums[name] += seconds[name]
            found.setdefault(name, []).extend(translations[name])
    return row_of(engines, sums, found, batch=batch)


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
        model, task = load(args)
        export_to_ctranslate2(model, task, f"{folder}/model")
        engines = Engines(args, f"{folder}/model")
        if args.checkpoint:
            show(measure_text(engines, task, batch, args) for batch in args.batch)
        else:
            cells = [(batch, length) for length in args.length for batch in args.batch]
            show(measure_random(engines, *cell, args) for cell in cells)
        engines.close()


if __name__ == "__main__":
    main()
