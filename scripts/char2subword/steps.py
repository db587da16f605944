"""Commands that are run once: what is there already is not made again."""

import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]


def run_once(name, folder, command, output=None):
    """Run a command unless it is done; a training that was stopped goes on.

    ``folder/name.done`` holds the command that was done.

    Args:
        name (str): of the step.
        folder (Path)
        command (list): program and arguments.
        output (Path, optional): gets what the command prints; else the log does.

    Raises:
        SystemExit: the command fails, or the step was done by another command.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done, log = folder / f"{name}.done", folder / f"{name}.log"
    line = shlex.join(map(str, command))
    if done.exists():
        if done.read_text("utf-8") != line:
            raise SystemExit(
                f"{done} is of another command:\n  {done.read_text('utf-8')}\nnot of\n"
                f"  {line}\nRemove {folder}, or choose another --out"
            )
        return
    print(f"==> {folder.name}: {name}", flush=True)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    part = output and output.with_suffix(".part")
    with (
        open(log, "ab") as errors,
        open(part or log, "ab" if part is None else "wb") as out,
    ):
        result = subprocess.run(
            [str(part) for part in command], stdout=out, stderr=errors, env=environment
        )
    if result.returncode:
        raise SystemExit(f"{line}\nfailed, see {log}")
    if part:
        part.rename(output)
    done.write_text(line, "utf-8")


def in_parallel(jobs, calls):
    """Call each of ``calls``, ``jobs`` at a time, none any more once one has failed.

    Args:
        jobs (int)
        calls (list of callables)

    Returns:
        list: what they return, in their order.
    """
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(call) for call in calls]
        finished, _ = wait(futures, return_when=FIRST_EXCEPTION)
        for future in finished:
            if future.exception():
                pool.shutdown(wait=False, cancel_futures=True)
                raise future.exception()
        return [future.result() for future in futures]


def last_validation(log, subset):
    """What fairseq logged last (``--log-format json``) of a validation subset.

    Args:
        log (Path)
        subset (str)

    Returns:
        dict of str to float

    Raises:
        SystemExit: none was logged.
    """
    found = re.findall(rf"\| {subset} \| (\{{.*\}})", log.read_text("utf-8"))
    if not found:
        raise SystemExit(f"{log} holds no validation of {subset}")
    prefix = f"{subset}_"
    return {
        name[len(prefix) :]: float(value)
        for name, value in json.loads(found[-1]).items()
        if name.startswith(prefix)
    }


def shown_command():
    """The command that runs, for a table; of absolute paths only the last three parts,
    which are the same on every machine."""
    words = [
        "/".join(Path(word).parts[-3:]) if Path(word).is_absolute() else word
        for word in sys.argv
    ]
    return f"`{' '.join(['python', *words])}`"


def write_table(path, title, notes, header, rows):
    """Write a Markdown table with its title and notes, and print it.

    Args:
        path (Path)
        title, notes (str)
        header (list of str)
        rows (list of list): cells; floats are rounded to four figures.
    """
    cells = [
        [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row]
        for row in rows
    ]
    lines = [header, ["---"] * len(header), *cells]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f"#### {title}\n\n{notes}\n\n{table}\n"
    path.write_text(text, "utf-8")
    print(text)
