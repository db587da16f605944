#!/usr/bin/env python3
"""Write the words that a model knows (mixture, words, bilm), most frequent first.

    python data_prep/build_word_dict.py DATA -s de -t en --min-count 5 --max-words 30000

reads ``DATA/train.de-en.de`` (or its twin ``train.en-de.de``) and writes
``DATA/dict.word.de.txt``: a word and its count a line. Several sources (``-s de,fr``) share
one list, which is written under the name of each.

    python data_prep/build_word_dict.py DATA -s de --max-words 50000

reads ``DATA/train.de``, the text of a language model.

    python data_prep/build_word_dict.py DATA -s de -t en --words-of TEACHER --min-count 0

takes the words that a trained table of embeddings has (a fairseq checkpoint, an .npy beside
its .tsv, a Hugging Face directory), all of them unless --max-words is given, and counts
them in that text.

    python data_prep/build_word_dict.py DATA --labels --min-count 2

reads ``DATA/train.conll``, ``DATA/train.tsv`` or both, and writes ``DATA/dict.word.txt``.
Byte-order marks at the start of any line, as in files that were joined,
are no part of a word: with them it would be another one.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from data_prep.cleaning import strip_marks  # noqa: E402
from data_prep.labelled import add_label_options, check_label_options, labelled_texts  # noqa: E402
from data_prep.output import run_script, write_atomically  # noqa: E402
from data_prep.whole_number import whole_number  # noqa: E402
from fairseq_bytefusion.data.monolingual import text_file  # noqa: E402
from fairseq_bytefusion.data.pairs.pair_files import find_pair  # noqa: E402
from fairseq_bytefusion.data.tables.teacher import read_teacher  # noqa: E402
from fairseq_bytefusion.text.files import open_text  # noqa: E402
from fairseq_bytefusion.text.lines import raw_lines  # noqa: E402
from fairseq_bytefusion.text.text_dictionary import encode_utf8  # noqa: E402
from fairseq_bytefusion.text.word_list import count_words, is_word  # noqa: E402

MAX_WORDS = 30000


def find_text(data, src, tgt=None):
    """str: the source side of the training text in ``data`` (Path), or, without a target,
    the text of one language.

    Raises:
        SystemExit: there is none.
    """
    try:
        if tgt is None:
            return text_file(data, "train", src)
        return find_pair(data, "train", src, tgt, target_required=False)[0]
    except FileNotFoundError as error:
        raise SystemExit(str(error)) from error


def words_of(teacher):
    """The whole words of a table of embeddings: list of bytes.

    What holds whitespace is no word of a text: such pieces are left out and counted.

    Raises:
        SystemExit: no such table, or a broken one.
    """
    try:
        pieces = read_teacher(teacher).pieces
    except (OSError, RuntimeError, ValueError) as error:
        raise SystemExit(f"--words-of: {error}") from error
    pieces = [encode_utf8(piece.text) for piece in pieces if piece.begins]
    words = [piece for piece in pieces if is_word(piece)]
    if len(words) < len(pieces):
        print(
            f"{teacher}: {len(pieces) - len(words)} of {len(pieces)} pieces hold "
            "whitespace and are left out"
        )
    return words


def count_texts(paths):
    """dict of bytes to int: the words of text files.

    Raises:
        SystemExit: one holds none.
    """
    counts = Counter()
    for path in paths:
        with open_text(path) as file:
            _add_words(counts, raw_lines(file), path)
    return counts


def _add_words(counts, lines, path):
    """Count the words of ``lines`` (iterable of bytes) of the file ``path``."""
    found = count_words(map(strip_marks, lines))
    if not found:
        raise SystemExit(f"{path} holds no word")
    counts.update(found)


def count_labelled(texts):
    """As :func:`count_texts`, of what :func:`~data_prep.labelled.labelled_texts` gives."""
    counts = Counter()
    for path, lines in texts.items():
        _add_words(counts, lines, path)
    return counts


def parse_options():
    """Namespace: the flags of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, help="raw-text directory")
    parser.add_argument("-s", "--source-lang", help="or several: de,fr")
    parser.add_argument("-t", "--target-lang")
    add_label_options(parser)
    parser.add_argument(
        "--min-count",
        type=whole_number(0),
        default=5,
        help="rarer words are left out (%(default)s)",
    )
    parser.add_argument(
        "--max-words",
        type=whole_number(1),
        help=f"default: {MAX_WORDS}, or with --words-of all of them",
    )
    parser.add_argument("--words-of", metavar="TEACHER", help="no other words than these")
    options = parser.parse_args()
    check_label_options(parser, options, target_optional=True)
    if options.max_words is None and not options.words_of:
        options.max_words = MAX_WORDS
    return options


def main():
    options = parse_options()
    if options.labels:
        labelled = labelled_texts(options.data, options.text_column)
        texts, names = list(labelled), ["dict.word.txt"]
        counts = candidates = count_labelled(labelled)
    else:
        sources = options.source_lang.split(",")
        texts = [find_text(options.data, lang, options.target_lang) for lang in sources]
        names = [f"dict.word.{lang}.txt" for lang in sources]
        counts = candidates = count_texts(texts)
    if options.words_of:
        candidates = {word: counts.get(word, 0) for word in words_of(options.words_of)}
    ranked = sorted(candidates.items(), key=lambda item: (-item[1], item[0]))
    kept = [item for item in ranked if item[1] >= options.min_count][: options.max_words]
    if not kept:
        read = " and ".join(texts)
        raise SystemExit(f"no word of {read} occurs {options.min_count} times")
    covered = sum(count for _, count in kept) / sum(counts.values())
    for name in names:
        output = options.data / name
        write_atomically(str(output), b"".join(b"%s %d\n" % item for item in kept))
        print(
            f"{output}: {len(kept)} of {len(candidates)} words, {covered:.1%} of the "
            "running words"
        )


if __name__ == "__main__":
    run_script(main)
