"""What ``bytefusion translate`` prints of a translation."""

from .json_text import json_text

_DIGITS = 6  # of a logarithm


def translation_json(found, alignments):
    """str: a JSON object of a Translation, with its alignment where ``alignments``."""
    return json_text(
        {
            **_hypothesis(found, alignments),
            "alternatives": [_hypothesis(t, alignments) for t in found.alternatives],
            "cut": found.cut,
            "parts": found.parts,
        }
    )


def _hypothesis(found, alignments):
    parts = {
        "text": found.text,
        "score": round(found.score, _DIGITS),
        "log_probability": round(found.log_probability, _DIGITS),
        "words": [{"text": w, "score": round(s, _DIGITS)} for w, s in found.words],
        "end_score": round(found.end_score, _DIGITS),
    }
    return {**parts, "alignment": found.pharaoh} if alignments else parts


def translation_lines(found, alignments, nbest):
    """str: ``nbest`` lines, of a Translation and its alternatives."""
    rows = [found, *found.alternatives]
    lines = [[t.text, *([t.pharaoh] if alignments else [])] for t in rows]
    # An empty sentence has one translation.
    lines += lines[-1:] * (nbest - len(lines))
    return "\n".join(map("\t".join, lines))


def score_line(found, alignments):
    """str: log-probabilities of a Translation: of all of it, a symbol, of each word and
    of its end."""
    words = [score for _, score in found.words]
    columns = [
        f"{found.log_probability:.4f}",
        f"{found.score:.4f}",
        " ".join(f"{score:.4f}" for score in (*words, found.end_score)),
    ]
    return "\t".join([*columns, *([found.pharaoh] if alignments else [])])
