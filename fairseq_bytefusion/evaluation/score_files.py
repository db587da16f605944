"""What ``bytefusion score`` reads: files of translations and of references."""

from .detokenizer import detokenize
from .hypotheses import read_hypotheses, read_lines, warn_of_unknown_symbols
from .same_test_set import check_same_test_set
from .scoring import System

PLACE = "{}"


def read_test_set(hypotheses, reference=None, language=None):
    """Read the translations of a test set by several systems.

    Args:
        hypotheses (list of str): paths of plain files or of logs of ``fairseq-generate``.
        reference (str or list of str, optional): path, or those of several references;
            without it, the T- lines of the first log.
        language (str, optional): the translations are Moses tokens of this language and
            are joined to text.

    Returns:
        tuple: list of Hypotheses, and the references: a list of str, or of several
        references a list of such lists.

    Raises:
        OSError: a file cannot be read.
        ValueError: no references, or only tokenised ones; one given twice; files of
            other test sets.
    """
    read = [read_hypotheses(path) for path in hypotheses]
    if reference is None:
        if language is not None:
            raise ValueError(
                "--detokenize needs --ref: the T- lines of a log are tokenised, and scores "
                "compare on untouched references only"
            )
        if read[0].references is None:
            raise ValueError(f"{hypotheses[0]} holds no references (T- lines): give --ref")
        warn_of_unknown_symbols(read[0])
        references = {hypotheses[0]: read[0].references}
    else:
        paths = [reference] if isinstance(reference, str) else reference
        references = _read_references(paths)
    # Before they are joined to text, which log and reference are not.
    check_same_test_set(read, references)
    if language is not None:
        for hypothesis in read:
            hypothesis.texts = detokenize(hypothesis.texts, language)
    texts = list(references.values())
    return read, texts if len(texts) > 1 else texts[0]


def _read_references(paths):
    """dict: path -> list of str."""
    for path in paths:
        if paths.count(path) > 1:
            raise ValueError(f"--ref names {path} twice: give each reference once")
    return {path: read_lines(path) for path in paths}


def read_test_sets(names, hypotheses, references=None, language=None):
    """Read the translations of several test sets, ``{}`` in a path standing for each name.

    Args:
        names (list of str): of the test sets.
        hypotheses (list of str): paths with ``{}``.
        references (list of str, optional): a path with ``{}`` for each reference, or one
            without for each name.
        language (str, optional): see :func:`read_test_set`.

    Returns:
        dict: name -> (list of System, named by the pattern of their path, and the
        references, a list of str or several), for
        :func:`~.macro_average.score_test_sets`.

    Raises:
        OSError, ValueError: see :func:`read_test_set`; a path without ``{}``.
    """
    for pattern in hypotheses:
        if PLACE not in pattern:
            raise ValueError(
                f"--each needs {PLACE} in --hyp, in place of the test set: {pattern}"
            )
    if references is None:
        references = [None] * len(names)
    elif all(PLACE in pattern for pattern in references):
        references = [
            [pattern.replace(PLACE, name) for pattern in references] for name in names
        ]
    if len(references) != len(names):
        raise ValueError(
            f"--each names {len(names)} test sets and --ref gives {len(references)} files: "
            f"give one for each, or one path with {PLACE}"
        )
    sets = {}
    for name, reference in zip(names, references):
        paths = [pattern.replace(PLACE, name) for pattern in hypotheses]
        read, texts = read_test_set(paths, reference, language)
        systems = [System(p, hyp.texts) for p, hyp in zip(hypotheses, read)]
        sets[name] = systems, texts
    return sets
