"""A data directory, in which the files of a pair appear whole or not at all."""

import errno
import fcntl
import json
import os
import shutil
import tempfile
from contextlib import contextmanager

from data_prep.output import check_replaceable, write_atomically, writing

STATS = "stats.json"


@contextmanager
def _locked(folder):
    """Hold the advisory lock of a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


class Staging:
    """A hidden folder in ``out`` where a run writes before it publishes.

    A run that is killed leaves it behind; the next run on the same pair removes it.

    Args:
        out (str): the data directory, made if there is none.
        pair (str): such as ``de-en``.
    """

    def __init__(self, out, pair):
        self.out, self.pair = out, pair
        self._folder = self._lock = None

    def __enter__(self):
        with writing(self.out):
            return self._enter()

    def _enter(self):
        if os.path.exists(self.out) and not os.path.isdir(self.out):
            raise NotADirectoryError(errno.ENOTDIR, "is no folder", self.out)
        os.makedirs(self.out, exist_ok=True)
        prefix = f".prepare.{self.pair}."
        with _locked(self.out):
            for name in os.listdir(self.out):
                if name.startswith(prefix):
                    _remove_if_abandoned(os.path.join(self.out, name))
            self._folder = tempfile.mkdtemp(prefix=prefix, dir=self.out)
            self._lock = os.open(self._folder, os.O_RDONLY)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self._folder)
        os.close(self._lock)

    def path(self, name):
        """Where to write the file that will be called ``name``."""
        return os.path.join(self._folder, name)

    def outputs(self, splits):
        """list of str: the files that :meth:`publish` replaces, those that need not be
        whole for training first."""
        names = [
            name
            for split in ("test", "valid", "train")
            if split in splits
            for name in pair_files(split, self.pair)
        ]
        return [os.path.join(self.out, name) for name in names]

    def check_clash(self, splits, inputs):
        """Refuse an ``out`` with files that must not or cannot be replaced.

        Args:
            splits (list of str): those that this run makes.
            inputs (list of str): paths of what it reads; links to them are seen through.

        Raises:
            OSError: an output is there and may not be replaced.
            ValueError: an input is among the outputs; other splits of this pair are
                there, from another run.
        """
        read_stats(self.out)
        for path in filter(os.path.exists, self.outputs(splits)):
            with writing(path):
                check_replaceable(path)
            for read in filter(os.path.exists, inputs):
                if os.path.samefile(path, read):
                    raise ValueError(
                        f"{read} is an input, and the output {path} would replace it: give "
                        "another --out"
                    )
        for split in {"train", "valid", "test"} - set(splits):
            old = os.path.join(self.out, pair_files(split, self.pair)[0])
            if os.path.exists(old):
                raise ValueError(
                    f"{old} is from another run, and its sentences may occur in this one: "
                    "delete it, or give another --out"
                )

    def publish(self, splits, stats):
        """Move the files of ``splits`` into place and record ``stats`` (dict).

        The pair's old files go first and its training targets come last, so that at no
        moment a half-replaced pair can be trained on. ``stats.json`` names the pair
        only when all is there; it is written before anything is replaced.

        Raises:
            OSError, ValueError: ``stats.json`` cannot be written; nothing has changed.
        """
        paths, path = self.outputs(splits), os.path.join(self.out, STATS)
        with _locked(self.out):
            others = read_stats(self.out)
            others.pop(self.pair, None)
            with writing(path), open(self.path(STATS), "wb") as file:
                file.write(_as_json({**others, self.pair: stats}))
            if others or os.path.exists(path):
                write_atomically(path, _as_json(others))
            for old in reversed(paths):
                if os.path.lexists(old):
                    os.unlink(old)
            for new in [*paths, path]:
                os.replace(self.path(os.path.basename(new)), new)


def _as_json(every):
    text = json.dumps(every, indent=2, sort_keys=True, ensure_ascii=False)
    # A name of a file that is not UTF-8 has surrogates, which JSON writes as escapes.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _remove_if_abandoned(folder):
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    except BlockingIOError:
        pass  # its run is still at work
    finally:
        os.close(handle)


def read_stats(out):
    """``stats.json`` of a data directory: pair -> counts; empty where there is none.

    Raises:
        ValueError: it is not what this package writes.
    """
    path = os.path.join(out, STATS)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8", newline="\n") as file:
        try:
            return dict(json.load(file))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path} cannot be read ({error}): delete it") from error


def pair_files(split, pair):
    """Names that the source and the target file of a split of ``pair`` (``de-en``) get;
    those that are there are found with ``fairseq_bytefusion.data.pairs.pair_files``."""
    source, target = pair.split("-")
    return f"{split}.{pair}.{source}", f"{split}.{pair}.{target}"
