"""Decoding speed of ``byte_transformer`` against fairseq's ``transformer``.

Both models have the same weights, are run by fairseq's own unchanged beam search and
must write the same number of bytes. Their runs alternate within one process, and
medians are compared, so that a busy machine slows both. Each cell also checks that
the hypotheses are the same, symbol by symbol, and their scores within 1e-4.

    python scripts/benchmarks/bench_decoder.py                 # every cell
    python scripts/benchmarks/bench_decoder.py --batch 8 --length 200 --rounds 5
    python scripts/benchmarks/bench_decoder.py --batch 8 --length 200 --profile
    python scripts/benchmarks/bench_decoder.py --batch 32 --checkpoint C.pt --text test.de

``over matmuls`` is our time divided by the time of the matrix products of our own
linear layers, replayed as ``nn.Linear`` does them with inputs of the same shapes.
``peak`` is the memory that a run adds to what the process holds before it.
"""

import argparse
import statistics
import time
from argparse import Namespace
from pathlib import Path

import process_memory
import torch
from fairseq import checkpoint_utils
from fairseq.models import ARCH_CONFIG_REGISTRY
from fairseq.models.transformer import TransformerConfig, TransformerModelBase
from fairseq.sequence_generator import SequenceGenerator
from torch.overrides import TorchFunctionMode

from fairseq_bytefusion.models.byte_transformer import ByteTransformerModel
from fairseq_bytefusion.models.options.byte_transformer import ByteTransformerConfig
from fairseq_bytefusion.text import ByteDictionary

BATCHES, LENGTHS = (1, 8, 32), (100, 200, 800)


class Task:
    """The part of a task that building a model needs."""

    source_dictionary = target_dictionary = ByteDictionary()


def build_models(arch, seed, device):
    """fairseq's model and ours with the same random weights, in eval mode."""
    args = Namespace()
    ARCH_CONFIG_REGISTRY[arch](args)
    defaults = ByteTransformerConfig()
    for name in ByteTransformerConfig.__dataclass_fields__:
        if not name.startswith("_") and not hasattr(args, name):
            setattr(args, name, getattr(defaults, name))
    args.max_source_positions = args.max_target_positions = 2048
    torch.manual_seed(seed)
    nested = TransformerConfig.from_namespace(args)
    nested.decoder.input_dim = nested.decoder.output_dim = nested.decoder.embed_dim
    theirs = TransformerModelBase.build_model(nested, Task())
    with torch.no_grad():  # as sure of itself as a trained model: no near ties
        theirs.decoder.output_projection.weight.mul_(4)
    ours = ByteTransformerModel.build_model(args, Task())
    ours.load_state_dict(theirs.state_dict(), strict=True)
    return _ready(theirs, ours, device)


def _ready(theirs, ours, device):
    for layer in theirs.encoder.layers:  # current torch refuses fairseq's fused path
        layer.can_use_fastpath = False
    return {"fairseq": theirs.eval().to(device), "ours": ours.eval().to(device)}


def load_models(path, device):
    """A trained model with dense embedders, and fairseq's with its weights."""
    (ours,), _, _ = checkpoint_utils.load_model_ensemble_and_task([path])
    theirs = TransformerModelBase.build_model(ours.cfg, Task())
    theirs.load_state_dict(ours.state_dict(), strict=True)
    return _ready(theirs, ours, device)


def text_batches(path, size, device):
    """The lines of a text file as batches of ``size``, in order."""
    dictionary = ByteDictionary()
    lines = [line for line in Path(path).read_bytes().split(b"\n") if line]
    for start in range(0, len(lines), size):
        rows = [dictionary.encode_line(x).long() for x in lines[start : start + size]]
        tokens = torch.nn.utils.rnn.pad_sequence(rows, True, dictionary.pad())
        lengths = torch.tensor([len(row) for row in rows])
        net_input = {"src_tokens": tokens.to(device), "src_lengths": lengths.to(device)}
        yield {"net_input": net_input}


def random_batch(size, length, seed, device):
    """Sources of random letters, from 60% of ``length`` to all of it."""
    generator = torch.Generator().manual_seed(seed)
    dictionary = ByteDictionary()
    lengths = [max(2, length - length * 2 * i // (5 * size)) for i in range(size)]
    tokens = torch.full((size, max(lengths)), dictionary.pad())
    for row, n in zip(tokens, lengths):
        row[:n] = torch.randint(97, 123, (n,), generator=generator) + 4
        row[n - 1] = dictionary.eos()
    net_input = {"src_tokens": tokens, "src_lengths": torch.tensor(lengths)}
    return {"net_input": {name: x.to(device) for name, x in net_input.items()}}


def search(model, beam, sample, **limits):
    """A function that decodes ``sample`` with fairseq's own beam search."""
    generator = SequenceGenerator([model], ByteDictionary(), beam_size=beam, **limits)
    return lambda: generator.generate([model], sample)


class Recorder(TorchFunctionMode):
    """Notes the shape of every product of a linear layer."""

    def __init__(self):
        super().__init__()
        self.calls = []
        self._known = {}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.nn.functional.linear:
            x, weight, *bias = args
            self.calls.append((x.shape, weight, *bias))
        elif function is torch.addmm:  # a linear layer too, its weight transposed
            bias, x, weight = args
            weight = self._plain(weight)
            self.calls.append((x.shape, weight, bias))
        return function(*args, **(kwargs or {}))

    def _plain(self, transposed):
        """The weight as ``nn.Linear`` keeps it, one copy of each."""
        if id(transposed) not in self._known:
            self._known[id(transposed)] = transposed, transposed.t().contiguous()
        return self._known[id(transposed)][1]


def matmuls_of(side):
    """A function that does the products of ``side``'s linear layers and no more."""
    with Recorder() as recorder:
        side()
    weight = recorder.calls[0][1]
    inputs = {shape: torch.randn(shape).to(weight) for shape, *_ in recorder.calls}

    @torch.no_grad()
    def replay():
        for shape, *parameters in recorder.calls:
            torch.nn.functional.linear(inputs[shape], *parameters)

    return replay


def clock(function, device):
    """Seconds, the MB that it adds to the memory in use, and the result of ``function``."""
    before = process_memory.watch(device)
    start = time.perf_counter()
    result = function()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start, process_memory.peak(device) - before, result


def difference(theirs, ours):
    """Number of hypotheses that differ, and the largest difference of scores."""
    pairs = [pair for beams in zip(theirs, ours) for pair in zip(*beams)]
    differing = sum(a["tokens"].tolist() != b["tokens"].tolist() for a, b in pairs)
    return differing, max(abs(float(a["score"]) - float(b["score"])) for a, b in pairs)


def _speeds(count, seconds):
    speeds = {f"{name} sent/s": count / seconds[name] for name in ("fairseq", "ours")}
    return {**speeds, "ratio": seconds["fairseq"] / seconds["ours"]}


def measure(models, batch, length, args, device):
    """One cell; returns its row of the table as a dict."""
    source_length = args.source_length or length
    sample = random_batch(batch, source_length, args.seed, device)
    limits = {"min_len": length, "max_len_b": length}
    sides = {n: search(model, args.beam, sample, **limits) for n, model in models.items()}
    matmuls = matmuls_of(sides["ours"])
    times = {"fairseq": [], "ours": [], "matmuls": []}
    peaks, found = dict.fromkeys(times, 0.0), {}
    for _ in range(args.rounds):
        for name, function in (*sides.items(), ("matmuls", matmuls)):
            seconds, peak, found[name] = clock(function, device)
            times[name].append(seconds)
            peaks[name] = max(peaks[name], peak)
    medians = {name: statistics.median(values) for name, values in times.items()}
    differing, largest = difference(found["fairseq"], found["ours"])
    return {
        "batch": batch,
        "length": length,
        **_speeds(batch, medians),
        "fairseq peak MB": peaks["fairseq"],
        "ours peak MB": peaks["ours"],
        "over matmuls": medians["ours"] / medians["matmuls"],
        "differing": differing,
        "score difference": largest,
    }


def measure_text(models, batch, args, device):
    """Free-running translation of real sentences; returns a row as a dict."""
    seconds, differing, largest, count = dict.fromkeys(models, 0.0), 0, 0.0, 0
    for sample in text_batches(args.text, batch, device):
        found = {}
        for name, model in models.items():
            side = search(model, args.beam, sample, max_len_a=3, max_len_b=200)
            time_taken, _, found[name] = clock(side, device)
            seconds[name] += time_taken
        more, difference_here = difference(found["fairseq"], found["ours"])
        differing, largest = differing + more, max(largest, difference_here)
        count += len(found["ours"])
    return {
        "batch": batch,
        "sentences": count,
        **_speeds(count, seconds),
        "differing": differing,
        "score difference": largest,
    }


def profile(models, batch, length, args, device):
    """Print where our time goes."""
    sample = random_batch(batch, args.source_length or length, args.seed, device)
    side = search(models["ours"], args.beam, sample, min_len=length, max_len_b=length)
    side()
    with torch.profiler.profile() as profiler:
        side()
    print(profiler.key_averages().table(sort_by="self_cpu_time_total", row_limit=25))


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--batch", type=int, nargs="+", default=BATCHES)
    parser.add_argument("--length", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--arch", default="byte_transformer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--source-length", type=int, help="bytes (default: LENGTH)")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--checkpoint", help="with --text: a trained model instead")
    parser.add_argument("--text", help="sources for --checkpoint, one a line")
    parser.add_argument("--profile", action="store_true", help="profile ours instead")
    args = parser.parse_args()
    if (args.checkpoint is None) != (args.text is None):
        parser.error("--checkpoint and --text go together")
    return args


def show(rows):
    """Print rows as they come, as a table under a heading."""
    for i, row in enumerate(rows):
        if i == 0:
            print(f"\n| {' | '.join(row)} |\n|{'---|' * len(row)}")
        values = (f"{x:.3g}" if isinstance(x, float) else str(x) for x in row.values())
        print(f"| {' | '.join(values)} |", flush=True)


def main():
    args = parse_args()
    device = torch.device(args.device)
    print(f"{args.checkpoint or args.arch}, beam {args.beam}, {device}", end=", ")
    print(f"{torch.get_num_threads()} threads, torch {torch.__version__}")
    if args.checkpoint:
        models = load_models(args.checkpoint, device)
        show(measure_text(models, batch, args, device) for batch in args.batch)
        return
    models = build_models(args.arch, args.seed, device)
    cells = [(batch, length) for length in args.length for batch in args.batch]
    if args.profile:
        for cell in cells:
            profile(models, *cell, args, device)
    else:
        show(measure(models, *cell, args, device) for cell in cells)


if __name__ == "__main__":
    main()
