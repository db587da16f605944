#!/usr/bin/env python3
"""Word composers in translation, on clean and on misspelt sources.

    python scripts/char2subword/translation.py

trains each system on data_prep/sample with the same updates, translates the test set and
the test set with one random operation in 20% of its words, and writes
``results/char2subword/translation.md``. ``char2subword, learned`` starts from an
approximation of the word table that the hybrid mixture has trained. Each training is one
process on one core, ``--jobs`` of them at a time; a run that was stopped goes on.
"""

import argparse
import json
import shutil
import sys
from functools import partial
from pathlib import Path

from steps import REPO, in_parallel, run_once, shown_command, write_table

SOURCE, TARGET = "hinglish", "en"
PAIR = f"{SOURCE}-{TARGET}"
HERE = Path(__file__).resolve().parent
USER_DIR = REPO / "fairseq_bytefusion"
SIZES = ("--char-embed-dim", 128, "--char2subword-layers", 2)
MIXTURE = ("--encoder-embedder", "mixture", *SIZES, "--mixture")
SYSTEMS = {
    "dense bytes": ("--encoder-embedder", "dense"),
    "char-cnn": ("--encoder-embedder", "char-cnn", "--char-cnn-filters", "kim-small"),
    "char-rnn": ("--encoder-embedder", "char-rnn"),
    "char2subword": ("--encoder-embedder", "char2subword", *SIZES),
    "mixture, sum": (*MIXTURE, "sum"),
    "mixture, hybrid": (*MIXTURE, "hybrid"),
}
LEARNED, TEACHER = "char2subword, learned", "mixture, hybrid"
SPLITS = {"clean": "test", "noised": "noised"}
# Fewer of the latter learn nothing but the mean of the table, and no attention follows.
UPDATES, LEARNING_UPDATES = 700, 3000


def folder_of(options, system):
    return options.out / system.replace(", ", "_").replace(" ", "_")


def checkpoint_of(options, system):
    return folder_of(options, system) / "checkpoint_last.pt"


def prepare(options):
    """The data directory: the sample, its misspelt test set, its frequent words."""
    data = options.out / "data"
    data.mkdir(parents=True, exist_ok=True)
    sample = REPO / "data_prep/sample"
    names = [
        f"{split}.{PAIR}.{lang}"
        for split in ("train", "valid", "test")
        for lang in (SOURCE, TARGET)
    ]
    copies = {name: sample / name for name in names}
    copies[f"noised.{PAIR}.{TARGET}"] = sample / f"test.{PAIR}.{TARGET}"
    for name, path in copies.items():
        if not (data / name).exists():
            shutil.copy(path, data / name)
    clean, noised = (data / f"{split}.{PAIR}.{SOURCE}" for split in ("test", "noised"))
    run_once("misspell", data, [sys.executable, HERE / "misspell_text.py", clean], noised)
    script = REPO / "data_prep/build_word_dict.py"
    command = [sys.executable, script, data, "-s", SOURCE, "-t", TARGET]
    run_once("words", data, [*command, "--min-count", options.min_count])
    return data


def training(options, data, system, flags):
    """list: the fairseq-train command of a system."""
    updates = round(UPDATES * options.scale)
    return [
        *(sys.executable, "-m", "fairseq_cli.train", data, "--cpu"),
        *("--user-dir", USER_DIR, "--save-dir", folder_of(options, system)),
        *("--task", "byte_translation", "-s", SOURCE, "-t", TARGET),
        *("--arch", "byte_transformer_small", *flags),
        *("--encoder-normalize-before", "--decoder-normalize-before"),
        *("--criterion", "label_smoothed_cross_entropy", "--label-smoothing", 0.1),
        *("--optimizer", "adam", "--adam-betas", "(0.9, 0.98)", "--lr", 0.004),
        *("--lr-scheduler", "polynomial_decay", "--warmup-updates", updates // 6),
        *("--total-num-update", updates, "--max-update", updates),
        *("--max-tokens", 4000, "--no-epoch-checkpoints", "--disable-validation"),
        *("--num-workers", 0, "--log-format", "json"),
    ]


def generation(options, data, system, split):
    """list: the fairseq-generate command of a system."""
    return [
        *(sys.executable, "-m", "fairseq_cli.generate", data, "--cpu"),
        *("--user-dir", USER_DIR, "--task", "byte_translation", "-s", SOURCE),
        *("-t", TARGET, "--gen-subset", split, "--beam", 4, "--batch-size", 100),
        *("--path", checkpoint_of(options, system), "--max-len-a", 2),
    ]


def translate_and_score(options, data, system):
    """dict of str to dict: the scores of a system, by name of ``SPLITS``."""
    folder, scores = folder_of(options, system), {}
    for name, split in SPLITS.items():
        log, result = folder / f"{split}.txt", folder / f"{split}.json"
        command = generation(options, data, system, split)
        run_once(f"generate_{split}", folder, command, log)
        command = [sys.executable, "-m", "fairseq_bytefusion.cli", "score"]
        run_once(f"score_{split}", folder, [*command, "--hyp", log, "--json"], result)
        (scores[name],) = json.loads(result.read_text("utf-8"))
    return scores


def run_system(options, data, system, flags):
    command = training(options, data, system, flags)
    run_once("train", folder_of(options, system), command)
    return translate_and_score(options, data, system)


def approximation(options):
    """list: the fairseq-train command that learns the word table of the hybrid mixture."""
    updates = round(LEARNING_UPDATES * options.scale)
    return [
        *(sys.executable, "-m", "fairseq_cli.train", checkpoint_of(options, TEACHER)),
        *("--cpu", "--user-dir", USER_DIR, "--save-dir", options.out / "approximation"),
        *("--task", "embedding_approximation", "--arch", "embedding_approximation"),
        *("--criterion", "embedding_approximation", *SIZES, "--batch-size", 128),
        *("--optimizer", "adam", "--lr", 0.003, "--lr-scheduler", "polynomial_decay"),
        *("--total-num-update", updates, "--max-update", updates, "--num-workers", 0),
        *("--no-epoch-checkpoints", "--validate-interval", 10**6, "--log-format", "json"),
    ]


def encoder_seconds(options, data, systems):
    """dict of str to float: of the clean test set."""
    paths = [checkpoint_of(options, system) for system in systems]
    command = [sys.executable, HERE / "encoder_time.py", data, SPLITS["clean"], *paths]
    output = options.out / "encoder_time.json"
    run_once("encoder_time", options.out, command, output)
    seconds = json.loads(output.read_text("utf-8"))
    return {system: seconds[str(path)] for system, path in zip(systems, paths)}


def last_line(path):
    return path.read_text("utf-8").strip().split("\n")[-1]


def write_results(options, data, scores, seconds):
    metrics = ("BLEU", "chrF2")
    rows = [
        [
            system,
            *(f"{splits[name][m]['score']:.2f}" for name in SPLITS for m in metrics),
            f"{seconds[system]:.2f}",
        ]
        for system, splits in scores.items()
    ]
    header = ["system", *(f"{m}, {name}" for name in SPLITS for m in metrics), "encoder, s"]
    first = next(iter(scores.values()))["clean"]
    notes = [
        shown_command(),
        "",
        f"{round(UPDATES * options.scale)} updates of at most 4,000 bytes; the learned "
        f"table {round(LEARNING_UPDATES * options.scale)} of 128 words; "
        "byte_transformer_small, pre-norm, seed 1, beam 4, one core a training.",
        "",
        f"- noised sources: {last_line(data / 'misspell.log')}",
        f"- word table: {last_line(data / 'words.log').split(': ')[-1]}",
        "- encoder: seconds for the 1,000 clean sources in batches of 100 on one core, "
        "median of 5 interleaved rounds",
        *(f"- {m}: `{first[m]['signature']}`" for m in metrics),
    ]
    title = "Word composers in translation, Hinglish into English"
    path = options.results / "translation.md"
    write_table(path, title, "\n".join(notes), header, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=REPO / "runs/char2subword_translation")
    parser.add_argument("--results", type=Path, default=REPO / "results/char2subword")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at a time")
    parser.add_argument("--scale", type=float, default=1.0, help="times as many updates")
    parser.add_argument("--min-count", type=int, default=3, help="of a word in the table")
    options = parser.parse_args()

    data = prepare(options)
    # The teacher first: one more system waits for it.
    order = sorted(SYSTEMS, key=lambda system: system != TEACHER)
    calls = [partial(run_system, options, data, s, SYSTEMS[s]) for s in order]

    def learned():
        run_once("train", options.out / "approximation", approximation(options))
        start = options.out / "approximation/checkpoint_last.pt"
        flags = (*SYSTEMS["char2subword"], "--char2subword-from", start)
        return run_system(options, data, LEARNED, flags)

    found = dict(zip(order, in_parallel(options.jobs, calls)))
    scores = {**{system: found[system] for system in SYSTEMS}, LEARNED: learned()}
    write_results(options, data, scores, encoder_seconds(options, data, scores))


if __name__ == "__main__":
    main()
