"""``bytefusion evaluate``: scores of a model that labels text."""

import os

from ..checkpoints.publishing import publishing
from ..evaluation.confusion_plot import confusion_image
from ..evaluation.labelled_files import evaluate_file
from ..evaluation.labelling_report import format_report
from ..generation import LABELLERS
from ..generation.labeller import load_labeller
from .arguments import add_batch_flags, add_labeller_flags, positive
from .json_text import json_text


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser(
        "evaluate",
        help="precision, recall and F1 of labels",
        description="Label a file anew and compare: precision, recall and F1 of each label "
        "and on average, of spans where labels are BIO, and what was confused with what.",
    )
    add_labeller_flags(parser)
    parser.add_argument(
        "file",
        metavar="FILE",
        help="labelled text: a word a line (.conll), or text TAB label (.tsv), whichever "
        "the model is for",
    )
    for name in ("text", "label"):
        parser.add_argument(
            f"--{name}-column",
            type=positive,
            metavar="N",
            help=f"column of the {name}, from 1 (default: as in training)",
        )
    parser.add_argument("--plot", metavar="IMAGE", help="draw the confusion matrix")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_batch_flags(parser)
    parser.set_defaults(run=run)


def run(args):
    """Print how well a model labels a file; draw with ``--plot``."""
    labeller = load_labeller(args.checkpoint, LABELLERS, args.device, args.data)
    report = evaluate_file(
        labeller,
        args.file,
        args.batch_size,
        progress=not args.quiet,
        text_column=args.text_column,
        label_column=args.label_column,
    )
    if args.json:
        print(json_text(report.as_dict(), indent=2))
    else:
        print(format_report(report))
    if args.plot:
        image = confusion_image(report, os.path.splitext(args.plot)[1][1:])
        with publishing(args.plot) as file:
            file.write(image)
