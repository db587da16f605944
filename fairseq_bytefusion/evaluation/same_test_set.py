"""Whether files of translations are of one test set."""

import logging

logger = logging.getLogger(__name__)


def check_same_test_set(read, references, reference):
    """Refuse translations that can be told to be of another test set.

    Their numbers must be equal. Of logs, the sources must be those of the first log, and
    the references (T- lines) those of ``reference``: no line of them being equal is
    another test set. A few that differ are what tokenisation, ``--max-source-positions``
    or a vocabulary do to a text: of sources they are logged. Only letters and digits are
    compared.

    Args:
        read (list of Hypotheses)
        references (list of str)
        reference (str): the file that they are from.

    Raises:
        ValueError: another test set; both files are named.
    """
    for hyp in read:
        if len(hyp.texts) != len(references):
            raise ValueError(
                f"{hyp.path} has {len(hyp.texts)} sentences, the reference {reference} has "
                f"{len(references)}: they are of other test sets"
            )
    logs = [hyp for hyp in read if hyp.sources is not None]
    for hyp in logs[1:]:
        _compare("sources", hyp.path, hyp.sources, logs[0].path, logs[0].sources)
    for hyp in read:
        if hyp.references is not None and hyp.path != reference:
            _compare("references", hyp.path, hyp.references, reference, references)


def _compare(kind, path, lines, other_path, others):
    """Refuse ``lines`` (list of str) none of which is in its place in ``others``."""
    differing = [
        i for i, pair in enumerate(zip(lines, others)) if len(set(map(_letters, pair))) > 1
    ]
    if not differing:
        return
    first = differing[0]
    found = (
        f"{len(differing)} of {len(lines)} {kind} of {path} are not those of {other_path}, "
        f"sentence {first} first: {lines[first]!r:.60} and {others[first]!r:.60}"
    )
    filled = sum(any(map(_letters, pair)) for pair in zip(lines, others))
    if len(differing) == filled:
        raise ValueError(f"{found}: they are of other test sets")
    if kind == "sources":
        logger.warning("%s", found)


def _letters(text):
    """What tokenisation leaves of a text."""
    return "".join(filter(str.isalnum, text)).casefold()
