"""Files of text in one language: ``DATA/train.LANG``."""

import os

from .pairs.pair_files import require_directory, unusable

_BLOCK = 1 << 20


def text_file(data_dir, split, lang):
    """The path of a split of text in one language.

    Args:
        data_dir, split, lang (str)

    Returns:
        str

    Raises:
        FileNotFoundError: no such file; says what is there instead.
    """
    path = os.path.join(data_dir, f"{split}.{lang}")
    if not os.path.isfile(path):
        require_directory(data_dir)
        there = [n for n in sorted(os.listdir(data_dir)) if n.startswith(f"{split}.")]
        raise FileNotFoundError(
            f"no such file: {path}; of {split} {data_dir} holds "
            f"{', '.join(there) or 'nothing'}{unusable([path])}"
        )
    return path


def has_words(path):
    """bool: whether a file (str) holds anything but white space and byte-order marks."""
    with open(path, "rb") as file:
        blocks = iter(lambda: file.read(_BLOCK), b"")
        return any(b.replace(b"\xef\xbb\xbf", b"").strip() for b in blocks)
