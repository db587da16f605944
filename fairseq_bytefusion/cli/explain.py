"""``bytefusion explain``: which words and characters a label comes from."""

from dataclasses import asdict

from ..checkpoints.publishing import publishing
from ..generation import LABELLERS
from ..generation.attribution import explain
from ..generation.attribution_page import attribution_page
from ..generation.labeller import load_labeller
from ..text.word_list import split_words
from .arguments import add_labeller_flags, positive
from .json_text import json_text


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser(
        "explain",
        help="which words and characters a label comes from",
        description="Grad-CAM of a label of a text, over its words and over their "
        "characters, as a page to look at or as JSON.",
    )
    add_labeller_flags(parser)
    parser.add_argument("--text", required=True, help="a sentence")
    parser.add_argument(
        "--compare",
        metavar="TEXT",
        help="the same sentence in another spelling, to be shown below",
    )
    parser.add_argument(
        "--label", help="the label to explain (default: the one that is predicted)"
    )
    parser.add_argument(
        "--word",
        type=positive,
        metavar="N",
        help="taggers: the word whose label to explain, from 1 (default: the first one "
        "whose label is not O; of another spelling with as many words, the same)",
    )
    parser.add_argument("--output", metavar="FILE", help="the page (HTML) to write")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args):
    """Write a page, print JSON, or both."""
    if not (args.output or args.json):
        raise ValueError("say where the page goes with --output FILE, or give --json")
    labeller = load_labeller(args.checkpoint, LABELLERS, args.device, args.data)
    word = None if args.word is None else args.word - 1
    found = [explain(labeller, args.text, args.label, word)]
    if args.compare is not None:
        if word is None and len(split_words(args.compare)) == len(found[0].words):
            word = found[0].of_word  # so that they compare
        found.append(explain(labeller, args.compare, args.label, word))
    if args.output:
        page = attribution_page(found, "What the labels come from")
        with publishing(args.output) as file:
            file.write(page.encode("utf-8"))
    if args.json:
        print(json_text([asdict(each) for each in found], indent=2))
