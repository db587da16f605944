"""Greedy search with drafts against greedy search and a beam of 5, on a trained model.

The ways alternate sentence batch by sentence batch within one process, so that a busy
machine slows all alike, and what they take is added up.

    python scripts/benchmarks/bench_drafts.py CHECKPOINT --text test.de --draft-file d.npz
    python scripts/benchmarks/bench_drafts.py CHECKPOINT --text test.de --exact --batch 32

``calls a byte``: calls of the decoder a row has part in, divided by the bytes written, the
end of a translation being one; greedy search has 1. ``bytes a call``: the inverse.
``speed``: how many times sooner than greedy search, and than a beam of 5. ``near ties``:
translations that differ from those of greedy search, at first by symbols whose
log-probabilities are within 1e-4; a difference of another kind ends the benchmark.
``--exact`` runs in float64, where nothing may differ.
"""

import argparse
import time
from argparse import Namespace
from pathlib import Path

import torch

from fairseq_bytefusion.generation import ByteTranslator
from fairseq_bytefusion.generation.batching import batches_by_length
from fairseq_bytefusion.search.draft_generator import draft_generator_class
from fairseq_bytefusion.search.drafts import NEED_FILE

BATCHES, LENGTHS, BEAM = (1, 8, 32), ("5", "8", "auto"), 5
TIE = 1e-4


class Ways:
    """Searches of one model, each with what it has taken and written.

    Args:
        translator (ByteTranslator)
        drafts (list of (str, str)): names and lengths of drafts.
        draft_file (str or None)
    """

    def __init__(self, translator, drafts, draft_file):
        self.translator, task = translator, translator.task
        self.generators = {"greedy": self._plain(1), f"beam {BEAM}": self._plain(BEAM)}
        is_utf8 = task.target_dictionary.unit == "byte"
        for name, length in drafts:
            options = Namespace(
                draft=name,
                draft_file=draft_file if name in NEED_FILE else None,
                draft_length=length,
            )
            cls, extra = draft_generator_class(
                *(translator.models, Namespace(beam=1), options),
                *(task.target_dictionary, is_utf8),
            )
            self.generators[f"{name} {length}"] = task.build_generator(
                translator.models, Namespace(beam=1), cls, extra
            )
        self.seconds = dict.fromkeys(self.generators, 0.0)
        self.calls = dict.fromkeys(self.generators, 0)
        self.written = dict.fromkeys(self.generators, 0)
        self.near_ties = dict.fromkeys(self.generators, 0)

    def _plain(self, beam):
        return self.translator.task.build_generator(
            self.translator.models, Namespace(beam=beam)
        )

    def run(self, sample):
        """Translate a batch in every way; check what drafts wrote."""
        found = {}
        for name, generator in self.generators.items():
            began = time.perf_counter()
            found[name] = self.translator.task.inference_step(
                generator, self.translator.models, sample
            )
            self.seconds[name] += time.perf_counter() - began
            self.written[name] += sum(len(h[0]["tokens"]) for h in found[name])
            self.calls[name] += getattr(generator, "row_calls", 0)
        for name, hypotheses in found.items():
            if hasattr(self.generators[name], "row_calls"):
                self._compare(name, hypotheses, found["greedy"])

    def _compare(self, name, hypotheses, expected):
        for (ours, *_), (greedy, *_) in zip(hypotheses, expected):
            one, other = ours["tokens"], greedy["tokens"]
            length = min(len(one), len(other))
            differs = one[:length].ne(other[:length]).nonzero()
            if not len(differs):
                continue
            place = int(differs[0])
            scores = [h["positional_scores"][place] for h in (ours, greedy)]
            if abs(float(scores[0] - scores[1])) > TIE:
                raise SystemExit(f"{name}: a translation differs at symbol {place}")
            self.near_ties[name] += 1


def sentences_of(translator, path, count):
    """A data set of the first lines of a text, and their lengths."""
    lines = Path(path).read_text("utf-8").split("\n")
    lines = [line for line in lines if line][:count]
    tokens, lengths = translator.task.get_interactive_tokens_and_lengths(
        lines, lambda line: line
    )
    return translator.task.build_dataset_for_inference(tokens, lengths), lengths


def measure(translator, args, batch, drafts):
    """Rows of the table for a batch size."""
    dataset, lengths = sentences_of(translator, args.text, args.sentences)
    ways = Ways(translator, drafts, args.draft_file)
    for chosen in batches_by_length(lengths, batch, False):
        sample = dataset.collater([dataset[i] for i in chosen])
        ways.run(sample)
    greedy, beam = (ways.seconds[name] for name in ("greedy", f"beam {BEAM}"))
    for name, seconds in ways.seconds.items():
        calls = ways.calls[name] / ways.written[name]
        counts = [f"{calls:.3f}", f"{1 / calls:.2f}"] if calls else ["", ""]
        cells = [batch, name, *counts]
        cells += [f"{seconds:.3g}", f"{greedy / seconds:.2f}", f"{beam / seconds:.2f}"]
        cells.append(ways.near_ties[name] if calls else "")
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkpoint")
    parser.add_argument("--text", required=True, help="source sentences, one a line")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--draft-file", help="what bytefusion draft wrote")
    parser.add_argument("--batch", type=int, nargs="+", default=BATCHES)
    parser.add_argument("--length", nargs="+", default=LENGTHS, help="of drafts")
    parser.add_argument("--exact", action="store_true", help="in float64")
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    translator = ByteTranslator.from_pretrained(args.checkpoint, args.device)
    if args.exact:
        for model in translator.models:
            model.double()
    names = ["ngram"] if args.draft_file else []
    if translator.models[0].decoder.lookahead is not None:
        names += ["heads", *(["both"] if args.draft_file else [])]
    if not names:
        raise SystemExit("give --draft-file, or a checkpoint with heads that look ahead")
    drafts = [(name, length) for name in names for length in args.length]
    kind = "float64" if args.exact else "float32"
    threads = torch.get_num_threads()
    print(
        f"{args.checkpoint}, {args.device}, {threads} threads, {kind}, torch "
        f"{torch.__version__}\n\n| batch | search | calls a byte | bytes a call | "
        f"seconds | speed over greedy | over beam {BEAM} | near ties |\n|{'---|' * 8}"
    )
    for batch in args.batch:
        measure(translator, args, batch, drafts)


if __name__ == "__main__":
    main()
