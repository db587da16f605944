"""Workarounds for Python's standard library."""

import contextlib
import io
import os
import signal
import sys
import threading


def end_quietly_on_interrupt():
    """Let Ctrl-C end the ``bytefusion`` command while it imports its libraries.

    Symptom: a traceback of thirty lines where it comes in the seconds that torch and
    fairseq take. Any version.
    """
    is_command = os.path.basename(sys.argv[0] if sys.argv else "") == "bytefusion"
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
