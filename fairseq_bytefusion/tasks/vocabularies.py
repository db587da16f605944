"""Which vocabularies a task has, and whether they are those of a checkpoint."""

import logging
import os

from fairseq import utils

from ..text import load_dictionary
from ..text.word_list import read_word_list

logger = logging.getLogger(__name__)

SIDES = ("source", "target")


def load_dictionaries(cfg, sources):
    """The dictionaries of both sides.

    Args:
        cfg (ByteTranslationConfig)
        sources (list of str): source languages, which share a vocabulary.

    Returns:
        tuple of TextDictionary: of the source and of the target.

    Raises:
        FileNotFoundError, ValueError: see :func:`~..text.units.load_dictionary`.
    """
    data_dir = utils.split_paths(cfg.data)[0]
    return (
        load_dictionary(cfg.source_unit, data_dir, sources),
        load_dictionary(cfg.target_unit, data_dir, [cfg.target_lang]),
    )


class SavedVocabularies:
    """For a translation task: a checkpoint knows units and vocabularies of its training."""

    def state_dict(self):
        """As in fairseq, what a checkpoint keeps of the task."""
        return {
            **super().state_dict(),
            # The config of a checkpoint lacks what was not given but found in DATA.
            "source_lang": self.cfg.source_lang,
            "target_lang": self.cfg.target_lang,
            "source_vocabulary": _describe(self.source_dictionary),
            "target_vocabulary": _describe(self.target_dictionary),
        }

    def load_state_dict(self, state):
        """Called by fairseq before it builds the model of a checkpoint.

        Raises:
            ValueError: this task has other units or vocabularies than the checkpoint.
        """
        super().load_state_dict(state)
        for side in SIDES:
            saved = state.get(f"{side}_vocabulary")
            if saved is not None:  # the checkpoint is as new as this check
                _check_same(side, getattr(self, f"{side}_dictionary"), saved)

    def source_words(self):
        """The known words of a mixture: those of ``DATA/dict.word.<source>.txt``.

        Words that hold a character the source dictionary lacks are left out, and their
        number is logged.

        Returns:
            list of bytes

        Raises:
            FileNotFoundError: no such file.
            ValueError: see :func:`~..text.word_list.read_word_list`.
        """
        data_dir = utils.split_paths(self.cfg.data)[0]
        path = os.path.join(data_dir, f"dict.word.{self.cfg.source_lang}.txt")
        if not os.path.exists(path):
            raise FileNotFoundError(
                f"no such file: {path}, the words that --encoder-embedder mixture knows: "
                "write it with data_prep/build_word_dict.py, or copy that of training"
            )
        words = read_word_list(path)
        unk = self.source_dictionary.unk()
        known = [w for w in words if unk not in self.source_dictionary.symbol_ids(w)]
        if len(known) < len(words):
            logger.warning(
                "%s: %d of %d words hold <unk> and are left out",
                path,
                len(words) - len(known),
                len(words),
            )
        return known


def _describe(dictionary):
    return {"unit": dictionary.unit, "digest": dictionary.digest}


def _check_same(side, dictionary, saved):
    if saved["unit"] != dictionary.unit:
        raise ValueError(
            f"it was trained with --{side}-unit {saved['unit']}, and this is "
            f"--{side}-unit {dictionary.unit}: give the former"
        )
    if saved["digest"] != dictionary.digest:
        raise ValueError(
            f"{dictionary.path} is not the vocabulary it was trained with: put that in "
            "its place"
        )
