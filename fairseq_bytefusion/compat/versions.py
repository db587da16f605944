"""Which versions of Python, fairseq, torch and numpy work together."""

import importlib.metadata
import sys

FAIRSEQ_OFFICIAL = "fairseq==0.12.2"
FAIRSEQ_PY311 = "fairseq-fixed==0.12.3.1"


def version_of(distribution):
    """Installed version as a tuple of int, or None."""
    try:
        text = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
    numbers = []
    for part in text.split("+")[0].split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def version_problem(python, fairseq, fairseq_fixed, torch, numpy):
    """What cannot work about a set of versions, in one sentence, or None.

    Args:
        python, fairseq, fairseq_fixed, torch, numpy (tuple of int or None):
            versions; None where the distribution is not installed.

    Returns:
        str or None: the problem and what to install.
    """
    wanted = FAIRSEQ_PY311 if python >= (3, 11) else FAIRSEQ_OFFICIAL
    name = f"Python {python[0]}.{python[1]}"
    installed = fairseq_fixed or fairseq
    if python < (3, 9):
        return f"fairseq_bytefusion needs Python 3.9 or newer and runs on {name}"
    if installed is None:
        return f"fairseq is not installed: on {name}, pip install {wanted}"
    if installed[:2] != (0, 12):
        dotted = ".".join(map(str, installed))
        return f"fairseq {dotted} is not 0.12: on {name}, pip install {wanted}"
    if fairseq_fixed is None and fairseq < (0, 12, 2):
        dotted = ".".join(map(str, fairseq))
        return f"fairseq {dotted} is older than 0.12.2: pip install {wanted}"
    if fairseq_fixed is None and python >= (3, 11):
        return (
            f"fairseq {'.'.join(map(str, fairseq))} cannot be imported on {name} "
            f"(mutable dataclass defaults): pip install {wanted}"
        )
    if torch is None or torch < (2, 0):
        found = "not installed" if torch is None else ".".join(map(str, torch))
        return f"torch 2.0 or newer is needed ({found}): pip install 'torch>=2.0'"
    if fairseq_fixed is None and numpy is not None and numpy >= (1, 24):
        return (
            f"fairseq 0.12.2 needs the aliases that numpy 1.24 removed (numpy "
            f"{'.'.join(map(str, numpy))} is installed): pip install 'numpy<1.24'"
        )
    return None


def check_versions():
    """Raise ImportError with one sentence where the installed versions cannot work."""
    problem = version_problem(
        sys.version_info[:2],
        version_of("fairseq"),
        version_of("fairseq-fixed"),
        version_of("torch"),
        version_of("numpy"),
    )
    if problem:
        raise ImportError(problem)
