"""Folders that appear under their name when they are complete, or not at all."""

import contextlib
import errno
import os
import shutil
from pathlib import Path


@contextlib.contextmanager
def publishing_folder(path, mark, overwrite=False):
    """A folder to fill, which takes the place of ``path`` at the end.

    After an error what was at ``path`` is as it was, and nothing else is left.

    Args:
        path (str)
        mark (str): a file that is in every folder of this kind: no other is replaced.
        overwrite (bool): replace what is there.

    Yields:
        Path: of an empty folder.

    Raises:
        OSError: ``path`` exists and is kept, or cannot be written.
        ValueError: what would be replaced is something else.
    """
    path = Path(os.path.realpath(path))
    if path.exists():
        is_own = (path / mark).is_file()
        if not is_own and not (path.is_dir() and not any(path.iterdir())):
            raise ValueError(f"{path} is there and is no exported model: give a new name")
        if is_own and not overwrite:
            text = "the directory exists and is kept: add --overwrite"
            raise FileExistsError(errno.EEXIST, text, str(path))
    temporary, old = (path.with_name(f"{path.name}.{end}") for end in ("tmp", "old"))
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        yield temporary
        if path.exists():
            path.rename(old)
        temporary.rename(path)
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        if old.exists() and not path.exists():
            old.rename(path)
        raise
