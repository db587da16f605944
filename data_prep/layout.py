"""Where the files of a pair are in a raw-text directory."""

import os

from data_prep.output import pair_files


def find_pair(data, split, source, target, required=True):
    """The two files of a split, named ``source-target`` or ``target-source``.

    Args:
        data (str): raw-text directory.
        split (str): ``train``, ``valid`` or ``test``.
        source, target (str): language codes.
        required (bool)

    Returns:
        tuple of str: paths of the source and the target side; None where there are none
        and none are required.

    Raises:
        FileNotFoundError: required but not there.
    """
    if not os.path.isdir(data):
        raise FileNotFoundError(f"no such data directory: {data}")
    for pair in (f"{source}-{target}", f"{target}-{source}"):
        paths = [os.path.join(data, name) for name in pair_files(split, pair)]
        if all(map(os.path.isfile, paths)):
            return tuple(paths if pair == f"{source}-{target}" else reversed(paths))
    if not required:
        return None
    there = (
        ", ".join([n for n in sorted(os.listdir(data)) if not n.endswith(".npy")][:12])
        or "nothing"
    )
    raise FileNotFoundError(
        f"{data} has no {split}.{source}-{target}.{source} with its target side; it holds: "
        f"{there}. Make them with data_prep/prepare.py"
    )
