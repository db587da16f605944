"""Drafts of an n-gram model: what most often followed the last symbols in training text."""

import functools
import os
import zipfile

import numpy as np
import torch

from .ngram_table import WAYS, NgramTable

_VERSION = 1
_KEYS = ("version", "order", "vocabulary", "eos", "marks", "symbols")


class NgramDraft:
    """Goes on with the symbol that most often followed the longest context it has seen.

    Args:
        table (NgramTable)
        vocabulary (str): what its symbols are, :func:`vocabulary_name` of a dictionary.
        eos (int): also what a translation begins with; drafted where nothing was seen.
    """

    def __init__(self, table, vocabulary, eos):
        self.table, self.vocabulary, self.eos = table, vocabulary, eos

    @classmethod
    def build(cls, options, dictionary, models):
        """From ``draft_file``; see :meth:`load` for errors."""
        if options.draft_file is None:
            raise ValueError(
                f"--draft {options.draft} needs counts of training text: make them with "
                "bytefusion draft, and give the file with --draft-file"
            )
        return cls.load(options.draft_file, dictionary)

    def propose(self, states, tokens, lengths, k):
        """See :mod:`~fairseq_bytefusion.search.drafts`; ``states`` are not looked at."""
        back = self.table.order - 1
        text, ends = tokens.cpu().numpy(), lengths.cpu().numpy()
        places = ends[:, None] + np.arange(-back, 0)
        recent = np.take_along_axis(text, places.clip(0), 1)
        recent[places < 0] = -1
        history = np.concatenate([recent, np.zeros((len(text), k), text.dtype)], 1)
        for step in range(k):
            found = self.table.after(history[:, step : step + back])
            history[:, back + step] = np.where(found < 0, self.eos, found)
        return torch.from_numpy(history[:, back:]).to(tokens.device)

    def save(self, file):
        """Write an ``.npz``, which :meth:`load` reads.

        Args:
            file: a path, or a binary file.
        """
        np.savez(
            file,
            version=_VERSION,
            order=self.table.order,
            vocabulary=self.vocabulary,
            eos=self.eos,
            marks=self.table.marks,
            symbols=self.table.symbols,
        )

    @classmethod
    def load(cls, path, dictionary):
        """Read what :meth:`save` wrote.

        Args:
            path (str)
            dictionary (TextDictionary): of the translations.

        Raises:
            OSError: no such file.
            ValueError: no draft file, or one of another vocabulary.
        """
        status = os.stat(path)
        found = _arrays(path, status.st_mtime_ns, status.st_size)
        if int(found["version"]) != _VERSION:
            raise ValueError(f"{path} is of another version: make it anew")
        vocabulary = str(found["vocabulary"])
        if vocabulary != vocabulary_name(dictionary):
            raise ValueError(
                f"{path} was made for {vocabulary}, and the model writes "
                f"{vocabulary_name(dictionary)}: make one with bytefusion draft for its "
                "--target-unit and vocabulary"
            )
        table = NgramTable(int(found["order"]), found["marks"], found["symbols"])
        return cls(table, vocabulary, int(found["eos"]))


@functools.lru_cache(maxsize=1)
def _arrays(path, time, size):
    """dict of str to array: what a draft file of a ``time`` and a ``size`` (int) holds; the
    last one is kept, for translators that are asked again and again.

    Raises:
        OSError, ValueError: see :meth:`NgramDraft.load`.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in _KEYS}
        if (
            not found["marks"].shape
            == found["symbols"].shape
            == (len(found["marks"]), WAYS)
        ):
            raise ValueError
        return found
    # Of other files numpy says many things.
    except (ValueError, KeyError, EOFError, AttributeError, TypeError, zipfile.BadZipFile):
        raise ValueError(
            f"{path} is no draft file: make one with bytefusion draft"
        ) from None


def vocabulary_name(dictionary):
    """str: what tells the vocabularies of translations apart, ``byte`` or ``char 0a1b...``.

    Args:
        dictionary (TextDictionary)
    """
    return " ".join(filter(None, (dictionary.unit, (dictionary.digest or "")[:12])))
