#!/usr/bin/env python3
"""Train a small model on the sample data, translate its test set, score it.

Run by ``make quickstart``. What is there already is not made again; a training that was
stopped goes on where it was. RUN=dir chooses where the results go. What fairseq prints is
in RUN/train.log and RUN/test.log; the terminal has one progress bar a step.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tqdm import tqdm

REPO = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPO))

from scripts.experiments.steps.going_on import (  # noqa: E402
    counted_time,
    restore_last,
)

DATA = "data_prep/sample"
SENTENCE = "kal subah 7 baje alarm laga do"
UPDATES, SENTENCES = 900, 1000
# char-cnn reads a word at a time: an update costs three quarters of one of plain bytes, and
# teaches more than that of any other composer. msc on both sides, of words or of bytes,
# teaches more in as many updates, but learned less in as many seconds. The experiment
# `composers` of the profile `small` compares the recipes.
TRAINING = [
    *("--arch", "byte_transformer_small"),
    *("--encoder-embedder", "char-cnn", "--char-cnn-filters", "kim-small"),
    *("--char-cnn-highway-layers", "2"),
    *("--encoder-normalize-before", "--decoder-normalize-before"),
    *("--criterion", "label_smoothed_cross_entropy", "--label-smoothing", "0.1"),
    *("--optimizer", "adam", "--adam-betas", "(0.9, 0.98)", "--lr", "4e-3"),
    *("--lr-scheduler", "polynomial_decay", "--warmup-updates", "150"),
    *("--max-update", UPDATES, "--total-num-update", UPDATES, "--max-tokens", "4000"),
    *("--no-epoch-checkpoints", "--validate-interval", "5", "--num-workers", "0"),
    *("--log-format", "json", "--log-interval", "10"),
]
NEXT = """What to try next:
  another encoder       {train} --encoder-fusion wsf
                        (docs/models.md has them all)
  your own text         python data_prep/prepare.py --help, then docs/data.md
  translate a file      bytefusion translate {run} < in.txt > out.txt
  from Python           ByteTranslator.from_pretrained("{run}"), see README.md"""


def common():
    """Arguments that training and translation share."""
    user_dir = REPO / "fairseq_bytefusion"
    task = ["--task", "byte_translation", "-s", "hinglish", "-t", "en"]
    return [DATA, "--user-dir", user_dir, *task]


def follow(command, log, pattern, label, total):
    """Run a command; its output goes to a file, its progress to a bar.

    Args:
        command (list)
        log (Path): appended to.
        pattern (str): a line with it is progress; its group is a number of what is done,
            without one every such line is one more.
        label (str), total (int): of the bar.

    Raises:
        SystemExit: the command failed; says where its output is.
    """
    pattern = re.compile(pattern)
    process = subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    bar = tqdm(total=total, desc=label, unit="")
    with open(log, "a", encoding="utf-8") as file, process, bar:
        for line in process.stdout:
            file.write(line)
            found = pattern.search(line)
            if found:
                bar.update(int(found[1]) - bar.n if pattern.groups else 1)
    if process.returncode:
        end = log.read_text("utf-8", "replace").rstrip().rpartition("\n")[2]
        raise SystemExit(f"{label} failed, see {log}: {end}")


def train(run):
    """Train to the end; returns the seconds of all sessions."""
    done, log = run / "trained", run / "train.log"
    if done.exists():
        return float(done.read_text())
    restore_last(run)
    command = ["fairseq-train", *common(), *TRAINING, "--save-dir", run]
    with counted_time(run / "seconds", log) as seconds:
        follow(command, log, r'"num_updates": "(\d+)"', "training", UPDATES)
        done.write_text(f"{seconds():.0f}\n")
        return seconds()


def translate(run):
    """Translate the test set with ``fairseq-generate``."""
    log, part = run / "test.log", run / "test.log.part"
    if not log.exists():
        part.unlink(missing_ok=True)
        command = ["fairseq-generate", *common(), "--path", run / "checkpoint_best.pt"]
        command += ["--beam", "4", "--batch-size", "100"]
        follow(command, part, r"^H-\d+\t", "translating", SENTENCES)
        part.rename(log)
    return log


def printed(command, **kwargs):
    """What a command prints."""
    command = list(map(str, command))
    return subprocess.run(
        command, stdout=subprocess.PIPE, check=True, text=True, **kwargs
    ).stdout


def main():
    os.chdir(REPO)
    run = Path(os.environ.get("RUN", "runs/quickstart"))
    run.mkdir(parents=True, exist_ok=True)
    print(f"==> training on 8,300 Hinglish-English pairs, then translating 1,000 ({run})")
    seconds = train(run)
    log = translate(run)
    reference = f"{DATA}/test.hinglish-en.en"
    score = ["bytefusion", "score", "--hyp", log, "--ref", reference, "--examples", "4"]
    result = f"trained for {seconds:.0f} seconds; the test set's translations:\n\n"
    result += printed(score)
    (run / "result.txt").write_text(result, "utf-8")
    print(f"\n{result}")
    pipe = ["bytefusion", "translate", run, "--quiet"]
    print(f"$ echo {shlex.quote(SENTENCE)} | {shlex.join(map(str, pipe))}")
    print(printed(pipe, input=SENTENCE + "\n"))
    print(NEXT.format(train="fairseq-train ... (README.md)", run=run))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("\nstopped; `make quickstart` goes on from here") from None
