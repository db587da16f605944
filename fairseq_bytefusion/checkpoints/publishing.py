"""Files that appear under their name when they are complete, or not at all."""

import contextlib
import errno
import os


class _Writer:
    """A binary file that remembers why it could not be written.

    torch reports a full disk as ``unexpected pos 704 vs 598``.
    """

    def __init__(self, file):
        self._file = file
        self.error = None

    def write(self, data):
        try:
            return self._file.write(data)
        except OSError as error:
            self.error = error
            raise

    def flush(self):
        self._file.flush()


@contextlib.contextmanager
def publishing(path):
    """A file to write, which takes the place of ``path`` at the end.

    After an error what was at ``path`` is as it was, and nothing else is left.

    Args:
        path (str)

    Yields:
        file: a binary one, with ``write`` and ``flush``.

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
            writer = _Writer(file)
            try:
                yield writer
            except Exception:
                if writer.error is not None:
                    raise writer.error from None
                raise
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        if isinstance(error, OSError) and error.filename in (None, temporary):
            raise OSError(error.errno, error.strerror, path) from error
        raise
