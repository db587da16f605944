"""The text of labelled training data, for what is made of it."""

import os

from data_prep.whole_number import whole_number
from fairseq_bytefusion.data.pairs.pair_files import require_directory, unusable
from fairseq_bytefusion.text.columns import read_columns
from fairseq_bytefusion.text.conll import read_conll
from fairseq_bytefusion.text.text_dictionary import encode_utf8
from fairseq_bytefusion.text.word_list import joined_words


def labelled_texts(data, text_column=None):
    """The sentences of ``DATA/train.conll`` and ``DATA/train.tsv``.

    Args:
        data (str or Path): labelled data directory.
        text_column (int, optional): of the latter, from 1; 1 by default.

    Returns:
        dict of str to list of bytes: path -> its sentences, for each file that is there.

    Raises:
        FileNotFoundError: none is there.
        OSError, ValueError: one cannot be read, or is not what its name says.
    """
    conll, tsv = (os.path.join(data, f"train.{ending}") for ending in ("conll", "tsv"))
    found = {}
    if os.path.isfile(conll):
        found[conll] = list(map(joined_words, read_conll(conll).words))
    if os.path.isfile(tsv):
        texts, _ = read_columns(tsv, text_column or 1, None)
        found[tsv] = list(map(encode_utf8, texts))
    if not found:
        require_directory(data)
        raise FileNotFoundError(f"no such file: {conll} or {tsv}{unusable([conll, tsv])}")
    return found


def add_label_options(parser):
    """Add ``--labels`` and ``--text-column`` to an ArgumentParser."""
    parser.add_argument(
        "--labels",
        action="store_true",
        help="DATA holds train.conll or train.tsv, for tagging or classification",
    )
    parser.add_argument(
        "--text-column", type=whole_number(1), help="of train.tsv (default: 1)"
    )


def check_label_options(parser, options, target_optional=False):
    """End the command where ``options`` (Namespace) are of labels and of languages, or of
    neither; whether a source alone will do is ``target_optional`` (bool)."""
    languages = (options.source_lang, options.target_lang)
    if options.labels and any(languages):
        parser.error("--labels is of text without languages: drop -s and -t")
    if not options.labels and not all(languages[: 1 if target_optional else 2]):
        alone = "; -s alone for text of one language" if target_optional else ""
        parser.error(f"give -s and -t, or --labels for train.conll or train.tsv{alone}")
    if options.text_column and not options.labels:
        parser.error("--text-column does nothing without --labels: add that or drop it")
