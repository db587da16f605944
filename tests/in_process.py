"""Commands run in the test's own process: importing torch and fairseq takes seconds."""

import contextlib
import importlib
import io
import logging
import os
import random
import runpy
import sys
import traceback
import warnings
from subprocess import CompletedProcess
from unittest import mock

import numpy as np
import torch
from fairseq import checkpoint_utils, utils
from fairseq.logging import metrics
from torch.utils.data import dataloader

import fairseq_bytefusion


def run_module(name, *args, **kwargs):
    """Do what ``python -m NAME ARGS`` does; see :func:`_run`."""
    return _run(module(name), [name, *args], **kwargs)


def run_script(path, *args, **kwargs):
    """Do what ``python PATH ARGS`` does; see :func:`_run`."""
    return _run(script(path), [path, *args], **kwargs)


def module(name):
    """A function that runs a module as the main program."""
    return lambda: runpy.run_module(name, run_name="__main__", alter_sys=True)


def script(path):
    """A function that runs a file as the main program."""
    return lambda: runpy.run_path(str(path), run_name="__main__")


def _run(start, argv, stdin=b"", cwd=None):
    """Call ``start()`` as a command that has been given arguments and standard input.

    Args:
        start (callable), argv (list)
        stdin (bytes, optional), cwd (path, optional)

    Returns:
        CompletedProcess: as of ``subprocess.run``, with bytes in stdout and stderr.
    """
    argv = [str(part) for part in argv]
    streams = {
        "stdin": _stream(stdin),
        "stdout": _stream(),
        "stderr": _stream(errors="backslashreplace"),
    }
    with _state_is_kept(), mock.patch.multiple(sys, argv=sys.argv, **streams):
        os.chdir(cwd or os.curdir)
        status = as_a_new_process(start, argv)
    output = (streams[name].buffer.getvalue() for name in ("stdout", "stderr"))
    return CompletedProcess(argv, status, *output)


def _stream(content=b"", **options):
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", **options)


def as_a_new_process(start, argv):
    """Call ``start()`` in the state of a process that has just imported its command.

    Args:
        start (callable)
        argv (list of str): begins with the name of a module or the path of a script.

    Returns:
        int: the exit status; what Python prints about an exception is printed.
    """
    sys.argv = argv
    warnings.simplefilter("default")
    warnings.filterwarnings("ignore", ".* found in sys.modules", RuntimeWarning)
    warnings.showwarning = _show_warning
    logging.root.handlers = []
    # fairseq-train says how to log before it imports fairseq, which says DEBUG itself.
    if argv[0] != "fairseq_cli.train":
        is_fairseq = argv[0].startswith("fairseq_cli.")
        logging.basicConfig(level=logging.DEBUG if is_fairseq else logging.WARNING)
    status = _status_of(start)
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def _status_of(start):
    try:
        start()
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        print(error.code, file=sys.stderr)
        return 1
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def _show_warning(message, category, filename, lineno, file=None, line=None):
    text = warnings.formatwarning(message, category, filename, lineno, line)
    (file or sys.stderr).write(text)


def _import_user_module(args, original=utils.import_user_module):
    """As in a new process, which imports ``--user-dir`` when the command is there."""
    original(args)
    importlib.reload(fairseq_bytefusion)


def _forget_commands():
    """Take out of fairseq what it remembers of a training for the rest of its process."""
    metrics.reset()
    vars(checkpoint_utils.save_checkpoint).pop("best", None)


@contextlib.contextmanager
def _state_is_kept():
    """Give back the settings and random states that a command may change."""
    _forget_commands()
    with contextlib.ExitStack() as stack:
        stack.callback(_forget_commands)
        stack.enter_context(mock.patch.dict(os.environ))
        stack.enter_context(mock.patch.object(sys, "path", list(sys.path)))
        stack.enter_context(
            mock.patch.object(utils, "import_user_module", _import_user_module)
        )
        stack.enter_context(warnings.catch_warnings())
        stack.enter_context(torch.random.fork_rng(devices=[]))
        stack.enter_context(torch.set_grad_enabled(torch.is_grad_enabled()))
        stack.callback(os.chdir, os.getcwd())
        stack.callback(np.random.set_state, np.random.get_state())
        stack.callback(random.setstate, random.getstate())
        stack.callback(torch.set_num_threads, torch.get_num_threads())
        stack.callback(torch.set_default_dtype, torch.get_default_dtype())
        stack.enter_context(_logging_is_kept())
        stack.enter_context(loaders_end())
        yield


@contextlib.contextmanager
def loaders_end():
    """End the workers of data loaders, which else wait to be told for five seconds each."""
    loaders, original = [], dataloader._MultiProcessingDataLoaderIter.__init__

    def begin(self, *args):
        loaders.append(self)
        original(self, *args)

    with mock.patch.object(dataloader._MultiProcessingDataLoaderIter, "__init__", begin):
        yield
    for loader in loaders:
        loader._shutdown_workers()


@contextlib.contextmanager
def _logging_is_kept():
    loggers = [logging.root, *logging.root.manager.loggerDict.values()]
    loggers = [logger for logger in loggers if isinstance(logger, logging.Logger)]
    before = [(logger, logger.level, list(logger.handlers)) for logger in loggers]
    try:
        yield
    finally:
        for logger, level, handlers in before:
            logger.setLevel(level)
            logger.handlers = handlers
