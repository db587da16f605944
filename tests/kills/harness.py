"""Kill a piece of work at a moment drawn at random, and do it again."""

import multiprocessing
import os
import random
import signal
import time

#: how often each work is killed: a few times in ``make test``
KILLS = int(os.environ.get("KILLS", "2"))

# Children of a process that has imported all, and done nothing: they begin at once.
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.kills.works"])


def _alone(work, args):
    os.setsid()  # so that its own children die with it
    work(*args)


def _start(work, args):
    process = _context.Process(target=_alone, args=(work, args))
    process.start()
    return process


def finish(work, *args):
    """Do ``work(*args)`` in a process of its own; returns the seconds that it took."""
    start = time.monotonic()
    process = _start(work, args)
    process.join()
    assert process.exitcode == 0
    return time.monotonic() - start


def kill(work, args, after):
    """Begin ``work(*args)``; kill it, and all that it began, ``after`` seconds later."""
    process = _start(work, args)
    process.join(after)
    for end in (os.killpg, os.kill):  # the first before it has a group of its own
        try:
            end(process.pid, signal.SIGKILL)
            break
        except ProcessLookupError:
            continue
    process.join()


def moments(name, seconds):
    """``KILLS`` moments of a work that takes so long, the same for each name."""
    draw = random.Random(name)
    return [draw.uniform(0, seconds) for _ in range(KILLS)]
