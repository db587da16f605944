"""Workarounds for Python's standard library."""

import contextlib
import io
import sys


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
