"""Whether files of translations are of one test set."""

import logging

logger = logging.getLogger(__name__)


def check_same_test_set(read, references):
    """Refuse translations that can be told to be of another test set.

    Their numbers must be equal. Of logs, the sources must be those of the first log, and
    the references (T- lines) those of one of ``references``: no line of them being equal
    is another test set. A few that differ are what tokenisation, ``--max-source-positions``
    or a vocabulary do to a text: of sources they are logged. Only letters and digits are
    compared.

    Args:
        read (list of Hypotheses)
        references (dict): name of a file -> list of str, one reference or several.

    Raises:
        ValueError: another test set; both files are named.
    """
    for hyp in read:
        for path, lines in references.items():
            if len(hyp.texts) != len(lines):
                raise ValueError(
                    f"{hyp.path} has {len(hyp.texts)} sentences, the reference {path} has "
                    f"{len(lines)}: they are of other test sets"
                )
    logs = [hyp for hyp in read if hyp.sources is not None]
    for hyp in logs[1:]:
        found = _mismatch("sources", hyp.path, hyp.sources, logs[0].path, logs[0].sources)
        if found:
            raise ValueError(found)
    for hyp in read:
        if hyp.references is not None and hyp.path not in references:
            found = [
                _mismatch("references", hyp.path, hyp.references, path, lines)
                for path, lines in references.items()
            ]
            if all(found):  # a log holds one of several references
                raise ValueError(found[0])


def _mismatch(kind, path, lines, other_path, others):
    """What is wrong with ``lines`` (list of str) none of which is in its place in
    ``others``: str, or None."""
    differing = [
        i for i, pair in enumerate(zip(lines, others)) if len(set(map(_letters, pair))) > 1
    ]
    if not differing:
        return None
    first = differing[0]
    found = (
        f"{len(differing)} of {len(lines)} {kind} of {path} are not those of {other_path}, "
        f"sentence {first} first: {lines[first]!r:.60} and {others[first]!r:.60}"
    )
    filled = sum(any(map(_letters, pair)) for pair in zip(lines, others))
    if len(differing) == filled:
        return f"{found}: they are of other test sets"
    if kind == "sources":
        logger.warning("%s", found)
    return None


def _letters(text):
    """What tokenisation leaves of a text."""
    return "".join(filter(str.isalnum, text)).casefold()
