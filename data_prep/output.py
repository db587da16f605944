"""Files that appear whole or not at all, and the errors scripts show."""

import errno
import os
import signal
import sys
import tempfile
from contextlib import ExitStack, contextmanager

from data_prep.package_files import catch_interrupts, error_line, flushing_output

# Errors of writing, whichever file they name, and what can be done.
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


def run_script(main):
    """Run ``main()`` as a script: bad input is one sentence and exit status 1.

    Ctrl-C, or that nobody reads what it prints, ends it as a signal would, without a word.
    """
    catch_interrupts()
    if sys.stdout is not None:
        # Names of files are printed as the bytes they are.
        sys.stdout.reconfigure(errors="surrogateescape")
    try:
        with flushing_output():
            main()
    except BrokenPipeError:
        sys.exit(128 + signal.SIGPIPE)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except (OSError, ValueError, RuntimeError) as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {error_line(error)}")


@contextmanager
def writing(path):
    """Let an error of writing say which file (str) was to be written, and what to do.

    Raises:
        OSError
    """
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            reason = f"{error.strerror}: make room there, or write somewhere else"
        elif error.errno in _FORBIDDEN:
            reason = f"{error.strerror}: write somewhere else"
        elif error.filename is not None:
            raise
        else:
            reason = error.strerror
        raise OSError(error.errno, reason, path) from error


def check_replaceable(path):
    """Refuse to put a file in the place of what it must not replace.

    Args:
        path (str): where it is to be; may not be there.

    Raises:
        OSError: a folder is there, or a file that may not be written, which is named.
    """
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "is a folder", path)
    if os.path.exists(path) and not os.access(path, os.W_OK):  # renaming would not ask
        raise PermissionError(errno.EACCES, "is read-only", path)


def write_atomically(path, data):
    """Replace ``path`` by ``data`` (bytes) in one step, see :func:`write_all`."""
    write_all({path: data})


def write_all(contents):
    """Replace files, each in one step, when there is room for all of them.

    Args:
        contents (dict of str to bytes): by path.

    Raises:
        OSError: one cannot be written; nothing has changed.
    """
    temporaries = {}
    try:
        for path, data in contents.items():
            folder, name = os.path.split(path)
            with writing(path):
                check_replaceable(path)
                handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder or ".")
                temporaries[path] = temporary
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                os.chmod(temporary, 0o644)
        for path in contents:
            os.replace(temporaries[path], path)
            del temporaries[path]
    finally:
        for temporary in temporaries.values():
            os.unlink(temporary)


class PairWriter:
    """Appends blocks to the two files of a split.

    Args:
        paths (list of str): of the source and the target file.
        names (list of str): what they will be called, for messages.

    Raises:
        OSError: they cannot be written.
    """

    def __init__(self, paths, names):
        self._paths, self._names = paths, names
        self._stack, self._files = ExitStack(), []

    def __enter__(self):
        for path, name in zip(self._paths, self._names):
            self._stack.enter_context(writing(name))  # closing writes, too
            self._files.append(self._stack.enter_context(open(path, "wb")))
        return self

    def __exit__(self, *_):
        self._stack.close()

    def write(self, source, target):
        """Append blocks (bytes) of as many lines each."""
        for file, name, block in zip(self._files, self._names, (source, target)):
            with writing(name):
                file.write(block)
