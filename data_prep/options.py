"""The command line of prepare.py."""

import argparse
import re

from data_prep.moses import moses_language
from data_prep.readers import READERS
from data_prep.whole_number import whole_number


class _Input(argparse.Action):
    """Collects inputs of all kinds in the order given."""

    def __call__(self, parser, namespace, values, option_string=None):
        kind, split = self.const
        inputs = [*namespace.inputs, (kind, split, values)]
        namespace.inputs = inputs


def parse_args(description, argv=None):
    """The command line as a namespace.

    Args:
        description (str): for ``--help``.
        argv (list of str, optional): instead of the process's own.

    Raises:
        ValueError: options that contradict each other.
    """
    parser = argparse.ArgumentParser(
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("-s", "--source-lang", required=True, help="language code used in output names")
    add("-t", "--target-lang", required=True)
    add("-o", "--out", required=True, help="data directory; may hold other pairs")
    inputs = parser.add_argument_group("input, of any kind and number")
    for kind, (reader, names) in READERS.items():
        _add_input(inputs, f"--{kind}", kind, "train", names, reader.__doc__)
    for split in ("valid", "test"):
        text = f"A {split} set: kept line for line, its sentences dropped from train"
        _add_input(inputs, f"--{split}-pair", "pair", split, ("SOURCE", "TARGET"), text)
    inputs.add_argument("--source-code", default="", help="language code in the inputs")
    inputs.add_argument("--target-code", default="", help="likewise")
    inputs.add_argument(
        "--columns", default="1,2", type=_columns, help="of a TSV file (%(default)s)"
    )
    add("--nfc", action="store_true", help="Unicode normal form C")
    add("--moses", action="store_true", help="Moses tokenisation through sacremoses")
    add(
        "--max-bytes",
        type=whole_number(1),
        default=800,
        help="longest side in bytes, before --moses (%(default)s)",
    )
    add("--max-ratio", type=float, default=9.0, help="longer / shorter side (%(default)s)")
    add(
        "--exclude",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="drop pairs with a sentence of these files on either side",
    )
    add("--no-dedup", dest="dedup", action="store_false", help="keep duplicate pairs")
    add("--num-valid", type=whole_number(0), default=0, help="draw so many pairs for valid")
    add("--num-test", type=whole_number(0), default=0, help="draw so many pairs for test")
    add("--seed", type=int, default=1, help="of that draw (%(default)s)")
    add("--workers", type=whole_number(1), default=1, help="processes (%(default)s)")
    parser.set_defaults(inputs=[])
    args = parser.parse_args(argv)
    _check_args(args)
    return args


def _add_input(group, flag, kind, split, names, text):
    group.add_argument(
        flag,
        action=_Input,
        const=(kind, split),
        nargs=len(names),
        metavar=names,
        default=argparse.SUPPRESS,
        help=" ".join(text.split("\n\n")[0].split()).replace("%", "%%"),
    )


def _columns(text):
    columns = text.split(",")
    if len(columns) != 2:
        raise argparse.ArgumentTypeError(f"{text} must be two numbers, as in 1,2")
    return tuple(map(whole_number(1), columns))


def _check_args(args):
    for lang in (args.source_lang, args.target_lang):
        if not re.fullmatch(r"[^\s./-]+", lang):
            raise ValueError(
                f"{lang} cannot be part of train.xx-yy.xx: use a code without '.', '-' and "
                "'/', and say with --source-code or --target-code how the input writes it"
            )
    if args.source_lang == args.target_lang:
        raise ValueError(f"source and target language are both {args.source_lang}")
    if not args.inputs:
        flags = ", ".join(f"--{kind}" for kind in READERS)
        raise ValueError(f"no input given: use one or more of {flags}")
    if not args.dedup and (args.num_valid or args.num_test):
        raise ValueError(
            "a set drawn from text with duplicates leaks: leave out --no-dedup"
        )


def moses_languages(args):
    """Language -> code of the Moses tokenizer it gets; None without ``--moses``."""
    if not args.moses:
        return None
    return {lang: moses_language(lang) for lang in (args.source_lang, args.target_lang)}
