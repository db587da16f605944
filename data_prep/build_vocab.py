#!/usr/bin/env python3
"""Vocabularies of a raw-text directory, made from its training side only.

    python data_prep/build_vocab.py DATA -s de,fr,ru -t en --source-size 64000 \\
        --target-size 8000

writes ``DATA/spm.<lang>.model`` (SentencePiece BPE) and ``DATA/dict.char.<lang>.txt``
(fairseq's dictionary format) for every language. Several sources share one vocabulary,
written under the name of each; so do several targets.

    python data_prep/build_vocab.py DATA --labels --kinds char

writes ``DATA/dict.char.txt``, the characters of ``DATA/train.conll``, ``DATA/train.tsv`` or
both, the space among them.
"""

import argparse
import io
import itertools
import os
import re
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from data_prep.blocks import Stream, line_blocks  # noqa: E402
from data_prep.labelled import (  # noqa: E402
    add_label_options,
    check_label_options,
    labelled_texts,
)
from data_prep.output import run_script, write_all  # noqa: E402
from data_prep.sentences import MAX_BYTES, sentences_of  # noqa: E402
from data_prep.whole_number import whole_number  # noqa: E402
from fairseq_bytefusion.data.pairs.pair_files import find_pair  # noqa: E402
from fairseq_bytefusion.text.char_symbols import symbol_of  # noqa: E402

KINDS = ("sentencepiece", "char")


def build_vocab(data, sources, targets, args):
    """Write the vocabularies of ``args.kinds``.

    Args:
        data (str): raw-text directory.
        sources (list of str), targets (list of str): language codes.
        args: ``kinds``, ``source_size``, ``target_size`` and what the trainers take.

    Returns:
        list of (str, int): path and number of symbols of each file.

    Raises:
        FileNotFoundError: a pair has no training files.
        ValueError: there is too little text for the size asked for.
    """
    langs = itertools.product(sources, targets)
    pairs = [find_pair(data, "train", *pair) for pair in langs]
    sides = (
        ("source", sources, [pair[0] for pair in pairs], args.source_size),
        ("target", targets, [pair[1] for pair in pairs], args.target_size),
    )
    made, contents = [], {}

    def add(pattern, langs, content, size):
        for path in (os.path.join(data, pattern.format(lang)) for lang in langs):
            contents[path] = content
            made.append((path, size))

    for side, langs, paths, size in sides:
        if "sentencepiece" in args.kinds:
            model = train_sentencepiece(paths, size, args, f"--{side}-size")
            add("spm.{}.model", langs, model, size)
        if "char" in args.kinds:
            text, count = char_dictionary(paths, args.min_count)
            add("dict.char.{}.txt", langs, text.encode(), count)
    write_all(contents)
    return made


def train_sentencepiece(paths, size, args, flag="--size"):
    """Train a BPE model on lines, see :func:`~data_prep.sentences.sentences_of`.

    Args:
        paths (list of str)
        size (int): symbols, ``<unk>``, ``<s>`` and ``</s>`` included.
        args: ``max_sentences`` (0: all), ``normalization``, ``coverage``, ``seed``,
            ``threads``.
        flag (str): that sets ``size``, for messages.

    Returns:
        bytes: the model file.

    Raises:
        ValueError: SentencePiece cannot make that many symbols, or so few.
    """
    import sentencepiece

    sentencepiece.set_random_generator_seed(args.seed)
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=sentences_of(paths),
            model_writer=model,
            model_type="bpe",
            vocab_size=size,
            character_coverage=args.coverage,
            normalization_rule_name=args.normalization,
            # Texts have their own spaces: a model must be able to give them back.
            remove_extra_whitespaces=False,
            input_sentence_size=args.max_sentences,
            max_sentence_length=MAX_BYTES,
            shuffle_input_sentence=args.max_sentences > 0,
            num_threads=args.threads,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise ValueError(_size_problem(str(error), paths, size, flag)) from error
    return model.getvalue()


def _size_problem(message, paths, size, flag):
    names = ", ".join(paths)
    if "sentences_.empty()" in message:
        return f"{names}: no text to make a vocabulary of"
    limit = re.search(r"value <= (\d+)", message)
    if limit:
        return (
            f"{names}: too little text for {size} symbols: give {flag} {limit[1]} or less"
        )
    if "input_sentence_size" in message:
        return "SentencePiece draws no sample so small: give --max-sentences 101 or more"
    # "... Increase vocab_size or decrease character_coverage ..."
    if "smaller than required_chars" in message:
        least = re.search(r"required_chars.*?(\d+) vs (\d+)", message)
        least = f"more than {max(map(int, least.groups()))}" if least else "a larger number"
        return f"{names}: {size} symbols cannot hold the characters: give {flag} {least}"
    return f"{names}: SentencePiece made no model of {size} symbols: {message.strip()}"


def build_label_vocab(args):
    """Write the characters of labelled text.

    Args:
        args: ``data``, ``min_count``, ``text_column``.

    Returns:
        list of (str, int): path and number of symbols of the file.

    Raises:
        OSError, ValueError: see :func:`~data_prep.labelled.labelled_texts`.
    """
    texts = labelled_texts(args.data, args.text_column)
    blocks = [b"\n".join(lines) for lines in texts.values()]
    counts = count_chars(blocks)
    # Sentences of one word have no space; others will.
    counts[ord(" ")] = max(counts[ord(" ")], args.min_count)
    text, count = _dictionary_text(counts, list(texts), args.min_count)
    path = os.path.join(args.data, "dict.char.txt")
    write_all({path: text.encode()})
    return [(path, count)]


def char_dictionary(paths, min_count=1):
    """The characters of files in fairseq's dictionary format, most frequent first.

    A line is a symbol of :mod:`fairseq_bytefusion.text.char_symbols`, a space and a
    count. Memory does not depend on the size of the files.

    Args:
        paths (list of str)
        min_count (int): rarer characters are left out.

    Returns:
        tuple: the text (str) and its number of lines (int).

    Raises:
        ValueError: the files hold no character.
    """
    counts = 0
    for path in paths:
        with Stream(path) as stream:
            counts = counts + count_chars(line_blocks(stream))
    return _dictionary_text(counts, paths, min_count)


def count_chars(blocks):
    """int64[code points]: how often each is in ``blocks`` (iterable of bytes); no newline
    is counted."""
    counts = np.zeros(0x110000, np.int64)
    for block in blocks:
        text = block.decode("utf-8", "replace").encode("utf-32-le")
        found = np.bincount(np.frombuffer(text, np.uint32))
        counts[: len(found)] += found
    counts[ord("\n")] = 0
    return counts


def _dictionary_text(counts, paths, min_count):
    codes = np.flatnonzero(counts >= max(min_count, 1))
    if not len(codes):
        raise ValueError(f"{', '.join(paths)}: no text to make a character dictionary of")
    codes = codes[np.argsort(-counts[codes], kind="stable")].tolist()
    lines = [f"{symbol_of(chr(code))} {counts[code]}\n" for code in codes]
    return "".join(lines), len(lines)


def parse_args(argv=None):
    """The command line as a namespace."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("data", help="raw-text directory")
    add("-s", "--source-lang", help="one code, or several: de,fr,ru")
    add("-t", "--target-lang")
    add_label_options(parser)
    add("--kinds", nargs="+", choices=KINDS, default=KINDS, help="what to make (both)")
    add("--source-size", type=whole_number(1), default=64000, help="subwords (%(default)s)")
    add("--target-size", type=whole_number(1), default=8000, help="subwords (%(default)s)")
    add("--coverage", type=_coverage, default=1.0, help="of characters (%(default)s)")
    add(
        "--normalization",
        default="identity",
        choices=("identity", "nfkc", "nmt_nfkc"),
        help="of text before it is cut into subwords (%(default)s)",
    )
    add(
        "--max-sentences",
        type=whole_number(0),
        default=5_000_000,
        help="train subwords on a random sample of so many; 0: on all (%(default)s)",
    )
    add("--min-count", type=whole_number(1), default=1, help="of a character (%(default)s)")
    add("--seed", type=int, default=1, help="of the sample (%(default)s)")
    add("--threads", type=whole_number(1), default=1, help="of SentencePiece (%(default)s)")
    args = parser.parse_args(argv)
    check_label_options(parser, args)
    if args.labels and "sentencepiece" in args.kinds:
        parser.error(
            "words of labelled text must be told apart, and a symbol of SentencePiece may "
            "be a space and letters: give --kinds char"
        )
    return args


def _coverage(text):
    share = float(text)
    if not 0.98 <= share <= 1:  # what SentencePiece takes
        raise argparse.ArgumentTypeError(f"{text} is not between 0.98 and 1")
    return share


def main(argv=None):
    args = parse_args(argv)
    build = build_label_vocab if args.labels else build_pair_vocab
    for path, size in build(args):
        print(f"{path}: {size} symbols")


def build_pair_vocab(args):
    """As :func:`build_vocab`, of the command line.

    Raises:
        ValueError: languages that cannot be.
    """
    sources, targets = args.source_lang.split(","), args.target_lang.split(",")
    for side, langs in (("source", sources), ("target", targets)):
        if "" in langs:
            raise ValueError(f"--{side}-lang {','.join(langs)}: write it as de,fr,ru")
    for lang in targets:
        if lang in sources:
            raise ValueError(
                f"{lang} is a source and the target: their vocabularies would have one "
                "name; leave it out of --source-lang"
            )
    return build_vocab(args.data, sources, targets, args)


if __name__ == "__main__":
    run_script(main)
