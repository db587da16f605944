"""Workarounds for Python's standard library.

Only that is imported here: data_prep takes this file without its package.
"""

import contextlib
import io
import os
import signal
import sys
import threading

# The scripts are those of data_prep that import this package.
_COMMANDS = ("bytefusion", "build_vocab.py", "build_word_dict.py", "few_shot.py")


def end_quietly_on_interrupt():
    """Let Ctrl-C end one of our commands while it imports its libraries.

    Symptom: a traceback of thirty lines where it comes in the seconds that torch and
    fairseq take. Any version.
    """
    is_command = os.path.basename(sys.argv[0] if sys.argv else "") in _COMMANDS
    # In a thread nothing can be set; a program in the background may ignore it.
    if (
        is_command
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def catch_interrupts():
    """Take back :func:`end_quietly_on_interrupt`: there is now something to tidy up."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextlib.contextmanager
def flushing_output():
    """Write what is printed within, also where argparse ends the program.

    Symptom: ``Exception ignored in: <_io.TextIOWrapper name='<stdout>'>`` and exit status
    120, since Python flushes at exit, when nobody can catch an error. Any version.

    Raises:
        OSError: nobody reads standard output, or its disk is full.
    """
    try:
        yield
    finally:
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        except OSError as error:
            # Python would complain once more when it flushes the stream at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if isinstance(error, BrokenPipeError):
                raise
            raise OSError(error.errno, error.strerror, "standard output") from error


def error_line(error):
    """What an error says, on one line.

    Symptom: ``[Errno 2] No such file or directory: 'a'``, and two lines where the name of
    a file has a line end. Any version.

    Args:
        error (Exception)

    Returns:
        str: of a RuntimeError, which may show the end of a log, as many lines as it has.
    """
    text = str(error)
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        text = f"{error.filename}: {error.strerror}"
    return text if isinstance(error, RuntimeError) else text.replace("\n", "\\n")


def utf8_standard_streams():
    """Read and write UTF-8 on the standard streams whatever the locale says.

    Symptom: ``UnicodeEncodeError: 'ascii' codec`` when fairseq prints a
    hypothesis, and an abort of ``fairseq-interactive`` at an input byte that is
    not UTF-8, or a new line at a lone carriage return. Any version, under
    ``PYTHONIOENCODING=ascii`` or a C locale.
    """
    for stream, options in (
        (sys.stdin, {"errors": "surrogateescape", "newline": "\n"}),
        (sys.stdout, {"errors": "surrogateescape"}),
        (sys.stderr, {"errors": "backslashreplace"}),
    ):
        # A test or a notebook may have replaced a stream, a program read from it already.
        if hasattr(stream, "reconfigure"):
            with contextlib.suppress(io.UnsupportedOperation):
                stream.reconfigure(encoding="utf-8", **options)
