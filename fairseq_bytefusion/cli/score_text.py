"""``bytefusion score-text``: log-probabilities of standard input."""

import sys

from ..generation import TextScorer
from .arguments import add_batch_flags, add_where_flags
from .arriving import arriving_sentences
from .json_text import json_text

_DIGITS = 4  # of a log-probability


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser(
        "score-text",
        help="log-probabilities of standard input, a sentence a line",
        description="Log-probabilities (natural logarithms) of standard input by a "
        "language model: a sentence a line in, a line out: that of the sentence, a tab, "
        "and those of its words and of </s>, with a space between them; of a model of both "
        "directions also, behind tabs, that of the sentence read backward and those of <s> "
        "and its words, in the order of the sentence. A word that is none of the model's "
        "list has the probability of <unk>; how many there are is said.",
    )
    parser.add_argument(
        "checkpoint",
        metavar="CHECKPOINT",
        help="a checkpoint of --task word_language_model, or the directory of one",
    )
    add_where_flags(parser)
    parser.add_argument(
        "--json", action="store_true", help="print a JSON object a line, words among it"
    )
    add_batch_flags(parser)
    parser.set_defaults(run=run)


def run(args):
    """Score standard input; what has arrived of it whenever it pauses."""
    if sys.stdin is None:
        raise ValueError("standard input is closed: give it sentences, one a line")
    scorer = TextScorer.from_pretrained(args.checkpoint, args.device, args.data)
    form = _json if args.json else _text
    for chunk in arriving_sentences(sys.stdin.buffer, 64 * args.batch_size):
        for found in scorer.score(chunk, args.batch_size, progress=not args.quiet):
            print(form(found))
        sys.stdout.flush()


def _text(found):
    columns = []
    for scores in found.values():
        columns.append(f"{scores.log_probability:.{_DIGITS}f}")
        columns.append(" ".join(f"{x:.{_DIGITS}f}" for x in scores.log_probabilities))
    return "\t".join(columns)


def _json(found):
    return json_text(
        {
            name: {
                "log_probability": round(scores.log_probability, _DIGITS),
                "words": scores.words,
                "log_probabilities": [round(x, _DIGITS) for x in scores.log_probabilities],
                "is_known": scores.is_known,
            }
            for name, scores in found.items()
        }
    )
