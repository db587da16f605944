"""Files that appear under their name when they are complete, or not at all."""

import contextlib
import errno
import os


@contextlib.contextmanager
def publishing(path):
    """A file to write, which takes the place of ``path`` at the end.

    After an error what was at ``path`` is as it was, and nothing else is left.

    Args:
        path (str)

    Yields:
        file: a binary one.

    Raises:
        OSError: ``path`` cannot be written, or the disk is full; it is named.
        ValueError: it is a device or a pipe, whose place no file may take.
    """
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.exists(path) and not os.access(path, os.W_OK):
        # A renaming would not ask.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"{path} is a device or a pipe: give the name of a file")
    path = os.path.realpath(path)  # a link stays one
    temporary = f"{path}.tmp"
    try:
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        if isinstance(error, OSError) and error.filename in (None, temporary):
            raise OSError(error.errno, error.strerror, path) from error
        raise
