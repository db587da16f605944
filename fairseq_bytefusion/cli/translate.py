"""``bytefusion translate``: standard input to standard output."""

import sys

from ..generation import ByteTranslator
from .arguments import positive
from .arriving import arriving_sentences


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser(
        "translate",
        help="translate standard input, a sentence a line",
        description="Translate standard input: a sentence a line in, a line out. "
        "What has arrived is translated when the input pauses. Only a newline ends a "
        "line. Lines that are too long for the model are cut, with a warning.",
    )
    parser.add_argument(
        "checkpoint",
        metavar="CHECKPOINT",
        help="a checkpoint, several joined by colons, or the directory of one",
    )
    parser.add_argument(
        "-s",
        "--source-lang",
        metavar="LANG",
        help="which of the model's source languages (needed with --source-tag only)",
    )
    parser.add_argument(
        "--data",
        metavar="DIR",
        help="where the vocabularies are (default: the data directory of training, or "
        "else beside the checkpoint; the byte unit needs none)",
    )
    parser.add_argument(
        "--beam",
        type=positive,
        default=5,
        metavar="N",
        help="hypotheses kept (%(default)s)",
    )
    parser.add_argument(
        "--batch-size",
        type=positive,
        default=32,
        metavar="N",
        help="sentences translated together (%(default)s)",
    )
    parser.add_argument(
        "--device", help="cpu, cuda ... (default: a GPU where there is one)"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.set_defaults(run=run)


def run(args):
    """Translate standard input; what has arrived of it whenever it pauses."""
    if sys.stdin is None:
        raise ValueError("standard input is closed: give it sentences, one a line")
    translator = ByteTranslator.from_pretrained(
        args.checkpoint, args.device, args.data, args.source_lang
    )
    # Enough at a time to put sentences of like length together.
    for chunk in arriving_sentences(sys.stdin.buffer, 64 * args.batch_size):
        translations = translator.translate(
            chunk, args.beam, args.batch_size, progress=not args.quiet
        )
        for translation in translations:
            print(translation.text)
        sys.stdout.flush()
