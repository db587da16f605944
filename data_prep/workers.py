"""A function over a stream in several processes: in order, in bounded memory."""

import multiprocessing
import signal
from collections import deque
from contextlib import ExitStack, contextmanager

_DEAD_WORKER = (
    "a worker process died, perhaps for lack of memory: rerun with fewer --workers"
)


@contextmanager
def worker_map(function, num_workers):
    """A function like ``map(function, items)`` that computes in worker processes.

    Results come in the order of the items, and no more than one item a worker is under
    way. Workers end when this process does, even when it is killed.

    Args:
        function (callable): picklable.
        num_workers (int): 1 computes in this process.

    Yields:
        callable: iterable -> iterator

    Raises:
        RuntimeError: a worker died (from the iterator). What ``function`` raises in
            a worker is raised here.
    """
    if num_workers <= 1:
        yield lambda items: map(function, items)
        return
    # "spawn": a forked worker would inherit the other workers' pipes and so
    # would never see them closed by the death of this process.
    context = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        pipes = [_start(context, function, stack) for _ in range(num_workers)]
        yield lambda items: _in_turn(pipes, items)


def _start(context, function, stack):
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(there, function), daemon=True)
    with _ignoring_interrupts():  # as the new process does, from its first moment
        process.start()
    there.close()
    stack.callback(process.join)
    stack.callback(here.close)
    return here


@contextmanager
def _ignoring_interrupts():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(pipe, function):
    while True:
        try:
            item = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            result = function(item), None
        except Exception as error:  # noqa: BLE001  (handed to the parent, which raises it)
            result = None, error
        try:
            pipe.send(result)
        except OSError:
            return


def _in_turn(pipes, items):
    busy = deque()
    for i, item in enumerate(items):
        full = len(busy) == len(pipes)
        # A worker's answer is taken before its next item is sent: two full pipes
        # would wait for each other.
        result = _receive(busy.popleft()) if full else None
        pipe = pipes[i % len(pipes)]
        _send(pipe, item)
        busy.append(pipe)
        if full:
            yield result
    while busy:
        yield _receive(busy.popleft())


def _send(pipe, item):
    try:
        pipe.send(item)
    except BrokenPipeError:
        raise RuntimeError(_DEAD_WORKER) from None


def _receive(pipe):
    try:
        result, error = pipe.recv()
    except (EOFError, ConnectionError):
        raise RuntimeError(_DEAD_WORKER) from None
    if error is not None:
        raise error
    return result
