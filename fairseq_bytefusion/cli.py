"""The ``bytefusion`` command: each verb calls one function of the package."""

import argparse
import itertools
import json
import os
import sys

from . import compat


def main(argv=None):
    """Run ``bytefusion VERB ...``; returns the exit status."""
    compat.utf8_standard_streams()
    args = _parser().parse_args(argv)
    try:
        args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python would complain once more
        # when it flushes the stream at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13  # as a command that SIGPIPE ended
    except (OSError, ValueError) as error:
        print(f"bytefusion {args.verb}: {_explain(error)}", file=sys.stderr)
        return 1
    return 0


def _explain(error):
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return error


def _parser():
    parser = argparse.ArgumentParser(prog="bytefusion", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    path = verbs.add_parser("path", help="print the folder to give as --user-dir")
    path.set_defaults(run=_path)

    score = verbs.add_parser(
        "score",
        help="BLEU (13a) and chrF2 of translations",
        description="BLEU (13a) and chrF2 with their SacreBLEU signatures; with several "
        "systems, paired bootstrap against the first.",
    )
    score.add_argument(
        "--hyp",
        nargs="+",
        required=True,
        metavar="FILE",
        help="translations: one a line, or a log of fairseq-generate",
    )
    score.add_argument(
        "--ref",
        metavar="FILE",
        help="reference, one a line (default: the T- lines of the first log)",
    )
    score.add_argument(
        "--num-bootstrap",
        type=int,
        default=1000,
        metavar="N",
        help="resamplings (%(default)s)",
    )
    score.add_argument(
        "--examples", type=int, default=0, metavar="N", help="show N translations as well"
    )
    score.add_argument("--json", action="store_true", help="print JSON")
    score.set_defaults(run=_score)

    translate = verbs.add_parser(
        "translate",
        help="translate standard input, a sentence a line",
        description="Translate standard input: a sentence a line in, a line out. "
        "Only a newline ends a line. Lines that are too long for the model are cut, "
        "with a warning.",
    )
    translate.add_argument(
        "checkpoint",
        metavar="CHECKPOINT",
        help="a checkpoint, several joined by colons, or the directory of one",
    )
    translate.add_argument(
        "--beam", type=int, default=5, metavar="N", help="hypotheses kept (%(default)s)"
    )
    translate.add_argument(
        "--batch-size",
        type=int,
        default=32,
        metavar="N",
        help="sentences translated together (%(default)s)",
    )
    translate.add_argument(
        "--device", help="cpu, cuda ... (default: a GPU where there is one)"
    )
    translate.add_argument("--quiet", action="store_true", help="show no progress")
    translate.set_defaults(run=_translate)
    return parser


def _path(args):
    print(os.path.dirname(os.path.abspath(__file__)))


def _score(args):
    from .evaluation import System, read_hypotheses, read_lines, score_systems
    from .evaluation.report import format_examples, format_scores

    read = [read_hypotheses(path) for path in args.hyp]
    references = read[0].references if args.ref is None else read_lines(args.ref)
    if references is None:
        raise ValueError(f"{args.hyp[0]} holds no references (T- lines): give --ref")
    systems = [System(hyp.path, hyp.texts) for hyp in read]
    rows = score_systems(systems, references, args.num_bootstrap)
    if args.json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    if args.examples:
        first = read[0]
        print(format_examples(first.texts, references, args.examples, first.sources))
        print()
    print(format_scores(rows))


def _translate(args):
    from .data.line_stream import read_sentences
    from .generation import ByteTranslator

    try:
        translator = ByteTranslator.from_pretrained(args.checkpoint, args.device)
    except RuntimeError as error:  # no checkpoint, or no such device
        raise ValueError(str(error).split("\n")[0]) from error
    lines = read_sentences(sys.stdin.buffer)
    # Enough at a time to put sentences of like length together.
    while chunk := list(itertools.islice(lines, 64 * max(1, args.batch_size))):
        translations = translator.translate(
            chunk, args.beam, args.batch_size, progress=not args.quiet
        )
        for translation in translations:
            print(translation.text)
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
