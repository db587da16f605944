"""The ``bytefusion`` command: each verb calls one function of the package."""

import argparse
import itertools
import json
import logging
import os
import sys

from .. import compat


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
    except (OSError, ValueError, RuntimeError) as error:
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
        nargs="+",
        metavar="FILE",
        help="reference, one a line (default: the T- lines of the first log)",
    )
    score.add_argument(
        "--each",
        metavar="NAMES",
        help="several test sets, such as de,fr,ru: {} in --hyp and --ref stands for each "
        "(or give a --ref for each); prints each and the average",
    )
    score.add_argument(
        "--average",
        metavar="NAMES",
        help="those of --each that count in the average (all)",
    )
    score.add_argument(
        "--detokenize",
        metavar="LANG",
        help="the translations are Moses tokens (prepare.py --moses) of this language: "
        "join them to text with sacremoses; needs untouched references in --ref",
    )
    score.add_argument(
        "--num-bootstrap",
        type=_positive,
        default=1000,
        metavar="N",
        help="resamplings (%(default)s)",
    )
    output = score.add_mutually_exclusive_group()
    output.add_argument(
        "--examples",
        type=_positive,
        default=0,
        metavar="N",
        help="show N translations as well",
    )
    output.add_argument("--json", action="store_true", help="print JSON")
    score.set_defaults(run=_score)

    inspect = verbs.add_parser(
        "inspect", help="options, size and n-gram weights (ncf) of checkpoints"
    )
    inspect.add_argument("checkpoints", nargs="+", metavar="CHECKPOINT")
    inspect.add_argument(
        "--plot",
        metavar="FILE",
        help="draw the n-gram weights: bars for one checkpoint, lines for several",
    )
    inspect.set_defaults(run=_inspect)

    average = verbs.add_parser("average", help="average the parameters of checkpoints")
    average.add_argument(
        "checkpoints",
        nargs="+",
        metavar="CHECKPOINT",
        help="checkpoints, or the --save-dir of a training with --last or --best",
    )
    average.add_argument("--output", required=True, metavar="FILE")
    which = average.add_mutually_exclusive_group()
    which.add_argument("--last", type=_positive, metavar="K", help="the newest K")
    which.add_argument("--best", type=_positive, metavar="K", help="the best K")
    average.set_defaults(run=_average)

    neighbours = verbs.add_parser(
        "neighbours",
        help="rows of a learned table that are nearest to any spelling",
        description="The pieces of the vocabulary that a checkpoint of --task "
        "embedding_approximation takes words for, with their cosines.",
    )
    neighbours.add_argument("checkpoint", metavar="CHECKPOINT")
    neighbours.add_argument(
        "words", nargs="+", metavar="WORD", help="a word; with ## in front its continuation"
    )
    neighbours.add_argument(
        "-k", type=_positive, default=5, metavar="N", help="pieces a word (%(default)s)"
    )
    neighbours.add_argument(
        "--teacher", metavar="PATH", help="the table, if it is no longer where it was"
    )
    neighbours.set_defaults(run=_neighbours)

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
        "-s",
        "--source-lang",
        metavar="LANG",
        help="which of the model's source languages (needed with --source-tag only)",
    )
    translate.add_argument(
        "--data",
        metavar="DIR",
        help="where the vocabularies are (default: the data directory of training, or "
        "else beside the checkpoint; the byte unit needs none)",
    )
    translate.add_argument(
        "--beam",
        type=_positive,
        default=5,
        metavar="N",
        help="hypotheses kept (%(default)s)",
    )
    translate.add_argument(
        "--batch-size",
        type=_positive,
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


def _positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 on")
    return number


def _path(args):
    print(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _score(args):
    from ..evaluation import System, score_systems
    from ..evaluation.report import format_examples, format_scores
    from ..evaluation.score_files import read_test_set

    # It logs a line for every metric of every system.
    logging.getLogger("sacrebleu").setLevel(logging.WARNING)
    if args.each is not None:
        _score_each(args)
        return
    if args.average is not None:
        raise ValueError("--average names some of the test sets of --each: give both")
    if args.ref is not None and len(args.ref) > 1:
        raise ValueError("several files in --ref need --each: name the test sets")
    reference = None if args.ref is None else args.ref[0]
    read, references = read_test_set(args.hyp, reference, args.detokenize)
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


def _score_each(args):
    from ..evaluation.macro_average import score_test_sets
    from ..evaluation.report import format_test_sets
    from ..evaluation.score_files import read_test_sets

    if args.examples:
        raise ValueError("--examples shows those of one test set: drop --each")
    names = args.each.split(",")
    sets = read_test_sets(names, args.hyp, args.ref, args.detokenize)
    averaged = names if args.average is None else args.average.split(",")
    scores = score_test_sets(sets, averaged, args.num_bootstrap)
    print(
        json.dumps(scores, indent=2, ensure_ascii=False)
        if args.json
        else format_test_sets(scores)
    )


def _inspect(args):
    from ..checkpoints.inspection import (
        format_summary,
        inspect_checkpoint,
        plot_ngram_weights,
    )

    summaries = [inspect_checkpoint(path) for path in args.checkpoints]
    print("\n".join(map(format_summary, summaries)))
    if args.plot:
        plot_ngram_weights(summaries, args.plot)


def _average(args):
    from ..checkpoints.averaging import (
        average_checkpoints,
        best_checkpoints,
        last_checkpoints,
    )

    paths = args.checkpoints
    if args.last is not None or args.best is not None:
        if len(paths) != 1 or not os.path.isdir(paths[0]):
            raise ValueError("--last and --best take one directory of checkpoints")
        find, count = (
            (last_checkpoints, args.last)
            if args.best is None
            else (best_checkpoints, args.best)
        )
        paths = find(paths[0], count)
    average_checkpoints(paths, args.output)
    print(f"{args.output}: the average of {', '.join(paths)}")


def _neighbours(args):
    from ..evaluation.neighbours import format_neighbours, nearest_pieces

    found = nearest_pieces(args.checkpoint, args.words, args.k, args.teacher)
    print(format_neighbours(args.words, found))


def _translate(args):
    from ..generation import ByteTranslator
    from ..text.lines import read_sentences

    translator = ByteTranslator.from_pretrained(
        args.checkpoint, args.device, args.data, args.source_lang
    )
    lines = read_sentences(sys.stdin.buffer)
    # Enough at a time to put sentences of like length together.
    while chunk := list(itertools.islice(lines, 64 * args.batch_size)):
        translations = translator.translate(
            chunk, args.beam, args.batch_size, progress=not args.quiet
        )
        for translation in translations:
            print(translation.text)
        sys.stdout.flush()
