"""What a training that was stopped goes on from, and how long all its sessions took."""

import contextlib
import os
import shutil
import time
import zipfile


def restore_last(folder):
    """Replace a ``checkpoint_last.pt`` that is cut short by the newest whole checkpoint.

    fairseq alone copies it into place, which is no single step; a disk may be full.

    Args:
        folder (Path): ``--save-dir``; may not be there.
    """
    last = folder / "checkpoint_last.pt"
    if not last.exists() or zipfile.is_zipfile(last):
        return
    whole = [path for path in folder.glob("checkpoint*.pt") if zipfile.is_zipfile(path)]
    last.unlink()
    newest = max(whole, key=_age, default=None)
    if newest:
        shutil.copyfile(newest, folder / "checkpoint_last.part")
        os.replace(folder / "checkpoint_last.part", last)
    print(f"{last} was cut short; going on from {newest or 'the start'}", flush=True)


def _age(path):
    """By its updates where its name has them, then by when it was written."""
    updates = path.stem.rpartition("_")[2]
    return int(updates) if updates.isdigit() else -1, path.stat().st_mtime_ns


@contextlib.contextmanager
def counted_time(record, log):
    """Count the seconds within, with those of earlier sessions.

    A session that was killed lasted until the last line of its log.

    Args:
        record (Path): where the sessions are noted, a line each.
        log (Path): what the training writes.

    Yields:
        callable: to a float, the seconds of all sessions so far.
    """
    sessions = _sessions(record)
    if sessions and sessions[-1][1] is None:
        last_seen = log.stat().st_mtime if log.exists() else 0
        sessions[-1][1] = max(sessions[-1][0], last_seen)
    start = time.time()

    def note(end):
        lines = [f"{start} {end or ''}\n" for start, end in [*sessions, [start, end]]]
        part = record.with_name(f"{record.name}.part")
        part.write_text("".join(lines), "utf-8")
        os.replace(part, record)

    def seconds():
        return sum(end - start for start, end in [*sessions, [start, time.time()]])

    note(None)
    try:
        yield seconds
    finally:
        note(time.time())


def _sessions(record):
    """list of [start, end]: in seconds; the end of one that was killed is None."""
    if not record.exists():
        return []
    numbers = [list(map(float, line.split())) for line in record.open(encoding="utf-8")]
    return [[row[0], row[1] if len(row) > 1 else None] for row in numbers]
