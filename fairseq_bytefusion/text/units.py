"""What a text can be cut into. To add a unit: a file, a line in ``UNITS``, a test."""

import filecmp
import os

from .byte_dictionary import ByteDictionary
from .char_dictionary import CharDictionary
from .sentencepiece_dictionary import SentencePieceDictionary

#: name of ``--source-unit``, ``--target-unit`` -> its dictionary
UNITS = {
    "byte": ByteDictionary,
    "char": CharDictionary,
    "sentencepiece": SentencePieceDictionary,
}


def load_dictionary(unit, data_dir, langs=(), side="source"):
    """The dictionary of a unit.

    Args:
        unit (str): a key of ``UNITS``.
        data_dir (str): holds the vocabulary of each language, ``dict.char.de.txt`` ...,
            or that of labelled text, ``dict.char.txt``.
        langs (list of str): share one vocabulary; none for labelled text.
        side (str): ``source`` or ``target``, for messages.

    Returns:
        TextDictionary

    Raises:
        FileNotFoundError: says which file is missing and how to make it.
        ValueError: it is not what its name says, or the languages' vocabularies differ.
    """
    unit_class = UNITS[unit]
    if unit_class.filename is None:
        return unit_class()
    if langs:
        names = [unit_class.filename.format(lang) for lang in langs]
    else:
        names = [vocabulary_file(unit)]
    paths = [os.path.join(data_dir, name) for name in names]
    for path, lang in zip(paths, langs or ["labelled text"]):
        if not os.path.exists(path):
            flags = "-s SOURCE -t TARGET" if langs else "--labels"
            raise FileNotFoundError(
                f"no such file: {path}, the {unit} vocabulary of {lang}: copy that of "
                f"training, or make it with python data_prep/build_vocab.py {data_dir} "
                f"{flags} --kinds {unit}"
            )
        if not filecmp.cmp(paths[0], path, shallow=False):
            codes = ",".join(langs)
            flags = f"-s {codes} -t TARGET" if side == "source" else f"-s SOURCE -t {codes}"
            raise ValueError(
                f"{paths[0]} and {path} differ, and several {side}s share one vocabulary: "
                f"make it with python data_prep/build_vocab.py {data_dir} {flags} "
                f"--kinds {unit}"
            )
    return unit_class.from_file(paths[0])


def vocabulary_file(unit):
    """str: the name of the file that holds the vocabulary of labelled text; None for a
    ``unit`` (str) without one."""
    filename = UNITS[unit].filename
    return None if filename is None else filename.replace("{}.", "")
