#!/usr/bin/env python3
"""Train, or go on with a training that was stopped; refuse one of another configuration.

    python scripts/experiments/steps/train.py --run RUN --tokens DATA/tokens.json \\
        --unit byte --max-tokens 4000 -- fairseq-train DATA ... --save-dir RUN/checkpoints

appends to RUN/train.log, and ends by writing RUN/trained.json. With ``--tokens`` it adds
``--max-tokens``, scaled so that a batch of any unit holds as many sentences as of bytes.
"""

import argparse
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from data_prep.output import run_script  # noqa: E402
from scripts.experiments.steps.going_on import counted_time, restore_last  # noqa: E402
from scripts.experiments.steps.recording import (  # noqa: E402
    data_hashes,
    read_json,
    versions,
    write_json,
)


def train(args):
    """Do what the command line says.

    Raises:
        ValueError: RUN is of another configuration, or in use.
        RuntimeError: the training failed; the message shows the end of its log.
    """
    command = args.command
    if args.tokens:
        lengths = read_json(args.tokens)["train"]
        max_tokens = round(args.max_tokens * lengths[args.unit] / lengths["byte"])
        command = [*command, "--max-tokens", str(max_tokens)]
    run = Path(args.run)
    run.mkdir(parents=True, exist_ok=True)
    with open(run / ".lock", "w") as lock:
        _lock(lock, run)
        configuration = {"command": command, "data": data_hashes(args.data)}
        check_configuration(run, configuration)
        restore_last(run / "checkpoints")
        with counted_time(run / "seconds", run / "train.log") as seconds:
            # The child holds the lock too: as long as it lives, none other trains here.
            _run(command, run / "train.log", lock)
        record = {
            **configuration,
            "unit": args.unit,
            "seconds": seconds(),
            "versions": versions(),
        }
        write_json(run / "trained.json", record)


def _lock(lock, run):
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ValueError(
            f"{run} is being trained by another process: wait for it, or end it"
        ) from None


def check_configuration(run, configuration):
    """Refuse a run folder that was begun with another configuration.

    Args:
        run (Path): its ``configuration.json`` is written if there is no checkpoint.
        configuration (dict): ``command`` (list of str), ``data`` (name -> hash).

    Raises:
        ValueError: says what differs and what to do.
    """
    path = run / "configuration.json"
    if not (path.exists() and any(run.glob("checkpoints/*.pt"))):
        write_json(path, configuration)
        return
    old = read_json(path)
    changes = _changed_flags(old["command"], configuration["command"])
    both = {*old["data"], *configuration["data"]}
    changes += [
        f"{name} is another file"
        for name in sorted(both)
        if old["data"].get(name) != configuration["data"].get(name)
    ]
    if not changes:  # the same flags in another order, for instance
        return
    shown = "; ".join(changes[:4]) + (f"; and {len(changes) - 4} more" * (len(changes) > 4))
    raise ValueError(
        f"{run} was begun with another configuration ({shown}): delete that folder to "
        "train anew, or name another `work` in the profile's grid.yaml to keep it"
    )


def _changed_flags(old, new):
    before, after = _flags(old), _flags(new)
    changes = []
    for flag in sorted({*before, *after}):
        if before.get(flag) != after.get(flag):
            was, now = (
                "absent" if values is None else " ".join(values) or "given"
                for values in (before.get(flag), after.get(flag))
            )
            changes.append(f"{flag or 'the command'} was {was}, is {now}")
    return changes


def _flags(command):
    """Flag -> its values; the last of equal flags counts, as in fairseq."""
    flags, current = {}, ""
    for word in command:
        if word.startswith("--") or (word.startswith("-") and word[1:].isalpha()):
            current, flags[word] = word, []
        else:
            flags.setdefault(current, []).append(word)
    return flags


def _run(command, log, lock):
    # So that the finally clause runs, and the training ends with its wrapper.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with open(log, "ab") as file:
        process = subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, pass_fds=(lock.fileno(),)
        )
        try:
            status = process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    if status:
        end = log.read_bytes()[-1500:].decode("utf-8", "replace")
        raise RuntimeError(
            f"the training ended with status {status}; what it did is kept and it goes on "
            f"from there when started again. The end of {log}:\n{end}"
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", required=True, help="folder of this training")
    parser.add_argument("--data", required=True, help="what is trained on, for its hashes")
    parser.add_argument("--tokens", help="what measure_units.py wrote")
    parser.add_argument("--unit", help="of the system")
    parser.add_argument("--max-tokens", type=int, help="in bytes")
    parser.add_argument("command", nargs="+", help="after --")
    train(parser.parse_args())


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    run_script(main)
