"""``bytefusion translate``: lines in, translations or their scores out."""

import random
import sys

from tqdm import tqdm

from ..generation import ByteTranslator
from ..generation.search_options import SearchOptions
from .arguments import positive
from .line_files import BesideLines, Lines, output_text
from .translation_flags import add_search_flags, given_search, search_arguments, with_flags
from .translation_text import score_line, translation_json, translation_lines


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser(
        "translate",
        help="translate standard input or a file, a sentence a line",
        description="Translate standard input: a sentence a line in, a line out. "
        "What has arrived is translated when the input pauses. Only a newline ends a "
        "line. Lines that are too long for the model are cut, with a warning, or with "
        "--split-long translated in parts.",
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
        "-t",
        "--target-lang",
        metavar="LANG",
        help="which of the model's target languages (needed where it has several)",
    )
    parser.add_argument(
        "--data",
        metavar="DIR",
        help="where the vocabularies are (default: the data directory of training, or "
        "else beside the checkpoint; the byte unit needs none)",
    )
    _add_file_flags(parser)
    add_search_flags(parser)
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


def _add_file_flags(parser):
    parser.add_argument(
        "--input",
        metavar="FILE",
        help="translate its lines instead of standard input's; it may be compressed",
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="write there when all is done; FILE.gz is compressed",
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace the file of --output"
    )
    beside = parser.add_mutually_exclusive_group()
    beside.add_argument(
        "--prefix",
        metavar="FILE",
        help="what each translation begins with, a line a line of the input",
    )
    beside.add_argument(
        "--score-target",
        metavar="FILE",
        help="translate nothing: score these translations, a line a line of the input. "
        "Prints log-probabilities: of all of it, a symbol, of its words and its end",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print a JSON object an input: text, scores, words, alternatives",
    )
    parser.add_argument(
        "--alignments",
        action="store_true",
        help="print which source word each target word comes from too (Pharaoh format)",
    )


def run(args):
    """Translate or score; what has arrived of standard input whenever that pauses."""
    _check(args)
    lines = Lines(args.input)
    beside = None
    if args.prefix or args.score_target:
        flag = "--prefix" if args.prefix else "--score-target"
        beside = BesideLines(args.prefix or args.score_target, flag)
        beside.check_count(lines)
    with output_text(args.output, args.overwrite) as output:
        translator = ByteTranslator.from_pretrained(
            args.checkpoint, args.device, args.data, args.source_lang, args.target_lang
        )
        hidden = args.quiet or sys.stderr is None
        with tqdm(
            total=lines.count, unit=" sentences", disable=hidden or lines.count is None
        ) as bar:
            progress = not hidden if lines.count is None else bar
            # Enough at a time to put sentences of like length together.
            for number, chunk in enumerate(lines.chunks(64 * args.batch_size)):
                own = None if beside is None else beside.take(len(chunk), lines)
                for text in _texts(translator, args, number, chunk, own, progress):
                    print(text, file=output)
                output.flush()
        if beside is not None:
            beside.end(lines)


def _check(args):
    """Refuse flags that contradict each other, before anything is loaded."""
    if args.overwrite and args.output is None:
        raise ValueError("--overwrite replaces the file of --output: give both")
    if args.score_target:
        for name in given_search(args):
            raise ValueError(
                f"{with_flags(name)} is for translating, and --score-target scores what is "
                "there: drop one"
            )
        return
    search = search_arguments(args)
    search.pop("split_long", None)
    try:
        SearchOptions(**search)
    except ValueError as error:
        raise ValueError(with_flags(str(error))) from error
    if args.sampling and args.seed is None:
        args.seed = random.SystemRandom().randrange(1 << 31)


def _texts(translator, args, number, chunk, beside, progress):
    """What to print of each sentence of the chunk of this number."""
    common = {
        "batch_size": args.batch_size,
        "progress": progress,
        "alignments": args.alignments,
    }
    if args.score_target:
        found = translator.score(chunk, beside, **common)
        form = translation_json if args.json else score_line
        return (form(t, args.alignments) for t in found)
    search = search_arguments(args)
    if args.seed is not None:
        search["seed"] = args.seed + number  # equal chunks shall not draw alike
    found = translator.translate(chunk, prefix=beside, **common, **search)
    if args.json:
        return (translation_json(t, args.alignments) for t in found)
    return (translation_lines(t, args.alignments, search["nbest"]) for t in found)
