"""``bytefusion predict``: labels of standard input."""

import sys

from ..generation import LABELLERS, ByteTagger
from ..generation.labeller import load_labeller
from .arguments import add_batch_flags, add_labeller_flags
from .arriving import arriving_sentences
from .json_text import json_text

_DIGITS = 4  # of a probability


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser(
        "predict",
        help="label standard input, a sentence a line",
        description="Label standard input: a sentence a line in, a line out: the labels of "
        "its words with a space between them, or the label of the sentence. What has "
        "arrived is labelled when the input pauses. Only a newline ends a line; without a "
        "word there is no label. Lines too long for the model are labelled in parts, or "
        "cut, with a warning.",
    )
    add_labeller_flags(parser)
    output = parser.add_mutually_exclusive_group()
    output.add_argument(
        "--conll",
        action="store_true",
        help="print a word, a tab and its label a line, and an empty line behind each "
        "sentence",
    )
    output.add_argument("--json", action="store_true", help="print a JSON object a line")
    parser.add_argument(
        "--scores",
        action="store_true",
        help="print the probability of each label too, behind a tab",
    )
    add_batch_flags(parser)
    parser.set_defaults(run=run)


def run(args):
    """Label standard input; what has arrived of it whenever it pauses."""
    if sys.stdin is None:
        raise ValueError("standard input is closed: give it sentences, one a line")
    labeller = load_labeller(args.checkpoint, LABELLERS, args.device, args.data)
    is_tagger = isinstance(labeller, ByteTagger)
    if args.conll and not is_tagger:
        raise ValueError(
            f"--conll prints a label a word, and {args.checkpoint} labels sentences: drop "
            "that flag"
        )
    label = labeller.tag if is_tagger else labeller.classify
    form = (_tags if is_tagger else _class)[_kind(args)]
    # Enough at a time to put sentences of like length together.
    for chunk in arriving_sentences(sys.stdin.buffer, 64 * args.batch_size):
        for found in label(chunk, args.batch_size, progress=not args.quiet):
            print(form(found, args.scores))
        sys.stdout.flush()


def _kind(args):
    return "json" if args.json else "conll" if args.conll else "text"


def _rounded(scores):
    return [round(score, _DIGITS) for score in scores]


def _shown(scores):
    return [f"{score:.{_DIGITS}f}" for score in scores]


def _tags_text(found, scores):
    columns = [found.labels, *([_shown(found.scores)] if scores else [])]
    return "\t".join(map(" ".join, columns)) if found.words else ""


def _tags_conll(found, scores):
    columns = [found.words, found.labels, *([_shown(found.scores)] if scores else [])]
    return "".join("\t".join(row) + "\n" for row in zip(*columns))


def _tags_json(found, scores):
    parts = {"words": found.words, "labels": found.labels}
    if scores:
        parts["scores"] = _rounded(found.scores)
    return json_text(parts)


def _class_text(found, scores):
    if found.label is None:
        return ""
    return "\t".join([found.label, *(_shown([found.score]) if scores else [])])


def _class_json(found, scores):
    parts = {"text": found.text, "label": found.label}
    if scores:
        names, values = found.probabilities.keys(), found.probabilities.values()
        parts["probabilities"] = dict(zip(names, _rounded(values)))
    return json_text(parts)


_tags = {"text": _tags_text, "conll": _tags_conll, "json": _tags_json}
_class = {"text": _class_text, "json": _class_json}
