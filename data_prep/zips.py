"""The two files of a pair in a Moses-format zip."""

import os
import re
import zipfile
from contextlib import contextmanager

from data_prep.blocks import CountedFile, Stream, damaged

_READABLE = {
    zipfile.ZIP_STORED,
    zipfile.ZIP_DEFLATED,
    zipfile.ZIP_BZIP2,
    zipfile.ZIP_LZMA,
}
_ENCRYPTED = 0x1
_HIDDEN = re.compile(r"\.(?!$)|__MACOSX$")  # . alone is the folder itself
_BY_HAND = "unpack it yourself, and give the files with --pair"


def split_stem(path):
    """``corpus.zip/B.de-en`` names one of several stems in ``corpus.zip``.

    Returns:
        tuple of str: path of the archive, and the stem, empty where ``path`` names none.
    """
    archive = path
    while archive and not os.path.exists(archive):
        archive = os.path.dirname(archive)
    inside = os.path.isfile(archive) and archive != path
    return (archive, path[len(archive) :].strip("/")) if inside else (path, "")


def text_names(path):
    """Names of the members of a zip that somebody has put there.

    Folders are none, nor what file managers leave: hidden files, such as ``.DS_Store``
    and the ``._x`` that macOS adds to each ``x``.

    Raises:
        ValueError: it is no whole zip.
    """
    with _reading(path), zipfile.ZipFile(path) as archive:
        return [
            name
            for name in archive.namelist()
            if not name.endswith("/") and not any(map(_HIDDEN.match, name.split("/")))
        ]


def check_members(path, names):
    """Refuse members (list of str) that cannot be read.

    Raises:
        ValueError: one is encrypted, or compressed in a way Python does not know.
    """
    with _reading(path), zipfile.ZipFile(path) as archive:
        for info in map(archive.getinfo, names):
            if info.flag_bits & _ENCRYPTED:
                raise ValueError(f"{path}: {info.filename} is encrypted: {_BY_HAND}")
            if info.compress_type not in _READABLE:
                raise ValueError(
                    f"{path}: {info.filename} is compressed by method "
                    f"{info.compress_type}, which Python cannot read: {_BY_HAND}"
                )


@contextmanager
def open_members(path, names, progress):
    """Members as streams.

    Yields:
        list of Stream
    """
    with open(path, "rb") as file, zipfile.ZipFile(CountedFile(file, progress)) as archive:
        # zipfile checks sums as it reads: damage shows in Stream.read.
        streams = []
        try:
            for name in names:
                with _reading(f"{path}/{name}"):
                    member = archive.open(name)
                streams.append(Stream(f"{path}/{name}", file=member))
            yield streams
        finally:
            for stream in streams:
                stream.close()


@contextmanager
def _reading(path):
    try:
        yield
    except (zipfile.BadZipFile, NotImplementedError, EOFError) as error:
        raise damaged(path, error) from error
