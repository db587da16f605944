"""``bytefusion score``: BLEU, chrF2 and other scores of translations."""

import json
import logging

from ..evaluation import System, score_systems
from ..evaluation.macro_average import score_test_sets
from ..evaluation.metrics import DEFAULT_METRICS, METRICS, TOKENIZERS, check_metrics
from ..evaluation.report import format_examples, format_scores, format_test_sets
from ..evaluation.score_files import read_test_set, read_test_sets
from .arguments import positive


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser(
        "score",
        help="BLEU, chrF2 ... of translations",
        description="Scores with their SacreBLEU signatures; with several systems, paired "
        "bootstrap against the first.",
    )
    _add_files(parser)
    _add_metrics(parser)
    output = parser.add_mutually_exclusive_group()
    output.add_argument(
        "--examples",
        type=positive,
        default=0,
        metavar="N",
        help="show N translations as well",
    )
    output.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def _add_files(parser):
    parser.add_argument(
        "--hyp",
        nargs="+",
        action="extend",
        required=True,
        metavar="FILE",
        help="translations: one a line, or a log of fairseq-generate",
    )
    parser.add_argument(
        "--ref",
        nargs="+",
        action="extend",
        metavar="FILE",
        help="reference, one a line (default: the T- lines of the first log); several "
        "files are several references",
    )
    parser.add_argument(
        "--each",
        metavar="NAMES",
        help="several test sets, such as de,fr,ru: {} in --hyp and --ref stands for each "
        "(or give a --ref without {} for each); prints each and the average",
    )
    parser.add_argument(
        "--average",
        metavar="NAMES",
        help="those of --each that count in the average (all)",
    )
    parser.add_argument(
        "--detokenize",
        metavar="LANG",
        help="the translations are Moses tokens (prepare.py --moses) of this language: "
        "join them to text with sacremoses; needs untouched references in --ref",
    )


def _add_metrics(parser):
    parser.add_argument(
        *("-m", "--metrics"),
        nargs="+",
        default=list(DEFAULT_METRICS),
        metavar="NAMES",
        help=f"of {', '.join(METRICS)}, separated by commas or spaces "
        f"({','.join(DEFAULT_METRICS)})",
    )
    parser.add_argument(
        *("-tok", "--tokenize"),
        metavar="NAME",
        help=f"SacreBLEU's tokenizer of BLEU: {', '.join(TOKENIZERS)} (13a)",
    )
    parser.add_argument(
        *("-ci", "--confidence"),
        action="store_true",
        help="mean and 95%% interval of each score, by bootstrap (several systems have "
        "them anyway)",
    )
    parser.add_argument(
        "--num-bootstrap",
        type=positive,
        default=1000,
        metavar="N",
        help="resamplings (%(default)s)",
    )


def run(args):
    """Score translations: those of one test set, or with ``--each`` of several."""
    # It logs a line for every metric of every system.
    logging.getLogger("sacrebleu").setLevel(logging.WARNING)
    args.metrics = [name for names in args.metrics for name in names.split(",")]
    check_metrics(args.metrics, args.tokenize)
    if args.each is not None:
        _score_each(args)
        return
    if args.average is not None:
        raise ValueError("--average names some of the test sets of --each: give both")
    read, references = read_test_set(args.hyp, args.ref, args.detokenize)
    systems = [System(hyp.path, hyp.texts) for hyp in read]
    rows = score_systems(systems, references, **_options(args))
    if args.json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    if args.examples:
        first = read[0]
        print(format_examples(first.texts, references, args.examples, first.sources))
        print()
    print(format_scores(rows))


def _options(args):
    names = ("num_bootstrap", "metrics", "tokenize", "confidence")
    return {name: getattr(args, name) for name in names}


def _score_each(args):
    if args.examples:
        raise ValueError("--examples shows those of one test set: drop --each")
    names = args.each.split(",")
    sets = read_test_sets(names, args.hyp, args.ref, args.detokenize)
    averaged = names if args.average is None else args.average.split(",")
    scores = score_test_sets(sets, averaged, **_options(args))
    print(
        json.dumps(scores, indent=2, ensure_ascii=False)
        if args.json
        else format_test_sets(scores)
    )
