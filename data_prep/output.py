"""Outputs that appear whole or not at all, and the errors scripts show."""

import fcntl
import json
import os
import shutil
import sys
import tempfile
from contextlib import ExitStack, contextmanager

STATS = "stats.json"


def run_script(main):
    """Run ``main()`` as a script: bad input is one sentence and exit status 1."""
    try:
        main()
    except (OSError, ValueError, RuntimeError) as error:
        text = str(error)
        if isinstance(error, OSError) and error.filename is not None and error.strerror:
            text = f"{error.filename}: {error.strerror}"
        sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")
    except KeyboardInterrupt:
        sys.exit(130)


@contextmanager
def _locked(folder):
    """Hold the advisory lock of a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def write_atomically(path, data):
    """Replace ``path`` by ``data`` (bytes) in one step."""
    folder, name = os.path.split(path)
    handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder or ".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


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

    def check_clash(self, splits):
        """Refuse an ``out`` that holds splits of this pair which this run won't replace.

        Raises:
            ValueError
        """
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
        only when all is there.
        """
        names = [
            name
            for split in ("test", "valid", "train")
            if split in splits
            for name in pair_files(split, self.pair)
        ]
        with _locked(self.out):
            self._record(None)
            for name in reversed(names):
                if os.path.exists(os.path.join(self.out, name)):
                    os.unlink(os.path.join(self.out, name))
            for name in names:
                os.replace(self.path(name), os.path.join(self.out, name))
            self._record(stats)

    def _record(self, stats):
        path = os.path.join(self.out, STATS)
        every = read_stats(self.out)
        every.pop(self.pair, None)
        if stats is not None:
            every[self.pair] = stats
        if every or os.path.exists(path):
            text = json.dumps(every, indent=2, sort_keys=True, ensure_ascii=False)
            write_atomically(path, text.encode() + b"\n")


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


class PairWriter:
    """Appends blocks to the two files of a split.

    Args:
        source, target (str): paths.
    """

    def __init__(self, source, target):
        self._paths, self._stack, self._files = (source, target), ExitStack(), []

    def __enter__(self):
        for path in self._paths:
            self._files.append(self._stack.enter_context(open(path, "wb")))
        return self

    def __exit__(self, *_):
        self._stack.close()

    def write(self, source, target):
        """Append blocks (bytes) of as many lines each."""
        self._files[0].write(source)
        self._files[1].write(target)
