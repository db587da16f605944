"""``--task masked_characters``: what the characters of a word are, from those around."""

import os
from dataclasses import dataclass, field
from typing import Optional

from fairseq import utils
from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from fairseq.tasks import FairseqTask, register_task
from omegaconf import II, MISSING

from .. import compat
from ..data.masked_words import MaskedWordsDataset
from ..data.pairs.pair_files import require_directory
from ..text import UNITS, load_dictionary
from ..text.word_list import count_file, read_word_counts
from .shared.batching import PackedBatching
from .shared.composer_transfer import composer_start, start_composer
from .shared.own_parts import OwnParts
from .shared.resolved_options import store_resolved
from .shared.scalar_logging import ScalarLogging
from .shared.vocabularies import SavedVocabularies

WORDS = ("text", "list")
# What is missing, and what to do.
_WHAT = {
    True: "the words of --words list: write it with data_prep/build_word_dict.py",
    False: "a sentence a line; -s LANG says how its name ends",
}


@dataclass
class MaskedCharactersTaskConfig(FairseqDataclass):
    """Which words are read, and what is hidden of them."""

    data: str = field(default=MISSING, metadata={"help": "directory of raw text"})
    source_lang: Optional[str] = field(
        default=None,
        metadata={"help": "LANG of train.LANG, valid.LANG", "argparse_alias": "-s"},
    )
    words: ChoiceEnum(WORDS) = field(
        default="text",
        metadata={
            "help": "where the words of training come from: DATA/train.LANG, or the list "
            "DATA/dict.word.LANG.txt (data_prep/build_word_dict.py)"
        },
    )
    source_unit: ChoiceEnum(list(UNITS)) = field(
        default="byte",
        metadata={"help": "what words are cut into: byte, char (DATA/dict.char.LANG.txt)"},
    )
    frequency_power: float = field(
        default=0.5,
        metadata={
            "help": "P: a word that occurs n times is in an epoch n^P times; 0: once, 1: "
            "as often as in the text"
        },
    )
    mask_prob: float = field(
        default=0.2,
        metadata={"help": "share of a word's characters to find out; at least one is"},
    )
    leave_unmasked_prob: float = field(
        default=0.1, metadata={"help": "share of these that are left as they are"}
    )
    random_token_prob: float = field(
        default=0.1, metadata={"help": "share of these that others take the place of"}
    )
    seed: int = II("common.seed")
    train_subset: str = II("dataset.train_subset")


@register_task("masked_characters", dataclass=MaskedCharactersTaskConfig)
class MaskedCharactersTask(
    OwnParts, ScalarLogging, PackedBatching, SavedVocabularies, FairseqTask
):
    """Words of plain text, or of a list, each by itself, some characters hidden.

    ``DATA/train.LANG`` (or ``dict.word.LANG.txt``) and ``DATA/valid.LANG``, raw UTF-8;
    words are what stands between white space.

    Source: Devlin et al. 2019, section 3.1, for characters within words.
    """

    NAME = ARCH = "masked_characters"

    def __init__(self, cfg, dictionary):
        super().__init__(cfg)
        self.dictionary = dictionary
        self._max_chars = None

    @classmethod
    def setup_task(cls, cfg, **kwargs):
        """
        Raises:
            FileNotFoundError, ValueError: no vocabulary; an option out of its range.
        """
        compat.utf8_standard_streams()
        if not cfg.source_lang:
            raise ValueError(
                "say with -s LANG which of DATA/train.LANG, valid.LANG is read"
            )
        _check(cfg)
        data_dir = utils.split_paths(cfg.data)[0]
        dictionary = load_dictionary(cfg.source_unit, data_dir, [cfg.source_lang])
        if not dictionary.spaces_apart:
            raise ValueError(
                "--task masked_characters cuts words into characters, and a symbol of "
                f"--source-unit {cfg.source_unit} may be several: choose byte or char"
            )
        return cls(cfg, dictionary)

    @property
    def source_langs(self):
        """list of str: one language."""
        return [self.cfg.source_lang]

    @property
    def source_dictionary(self):
        """TextDictionary: of the symbols of words."""
        return self.dictionary

    @property
    def target_dictionary(self):
        """None: what is found out are symbols of the source."""
        return

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; words are cut to what the model can read.

        Raises:
            FileNotFoundError: no such data directory (a checkpoint needs none).
        """
        if not from_checkpoint:
            require_directory(utils.split_paths(self.cfg.data)[0])
        model = super().build_model(cfg, from_checkpoint)
        store_resolved(cfg, model)
        self._max_chars = model.options.max_word_chars
        return model

    def start_training(self, model, cfg):
        """Called before a training that does not go on from a checkpoint of its own.

        Args:
            model (MaskedCharactersModel): changed in place.
            cfg (DictConfig or Namespace): its options.

        Raises:
            OSError, RuntimeError, ValueError: see
                :func:`~.shared.composer_transfer.start_composer`.
        """
        if composer_start(cfg):
            start_composer(model.composer, cfg, self)

    def load_dataset(self, split, **kwargs):
        """
        Raises:
            FileNotFoundError: says which file is missing.
            ValueError: it holds no word.
        """
        cfg, is_train = self.cfg, split == self.cfg.train_subset
        data_dir = utils.split_paths(cfg.data)[0]
        of_list, lang = is_train and cfg.words == "list", cfg.source_lang
        name = f"dict.word.{lang}.txt" if of_list else f"{split}.{lang}"
        path = os.path.join(data_dir, name)
        if not os.path.exists(path):
            raise FileNotFoundError(f"no such file: {path}, {_WHAT[of_list]}")
        counts = read_word_counts(path) if of_list else count_file(path)
        replaced, kept = cfg.random_token_prob, cfg.leave_unmasked_prob
        self.datasets[split] = MaskedWordsDataset(
            *(counts, self.dictionary, self._max_chars, cfg.mask_prob),
            shares=(1 - replaced - kept, replaced, kept),
            power=cfg.frequency_power,
            seed=(cfg.seed, int(is_train)),
            is_training=is_train,
            name=path,
        )

    def max_positions(self):
        """None: longer words are cut."""
        return


def _check(cfg):
    if not 0 < cfg.mask_prob <= 1:
        raise ValueError(f"--mask-prob {cfg.mask_prob:g} must lie above 0, and not above 1")
    for name in ("random_token_prob", "leave_unmasked_prob"):
        if not 0 <= getattr(cfg, name) <= 1:
            flag = f"--{name.replace('_', '-')}"
            raise ValueError(f"{flag} {getattr(cfg, name):g} must lie between 0 and 1")
    if cfg.random_token_prob + cfg.leave_unmasked_prob > 1:
        raise ValueError(
            f"--random-token-prob {cfg.random_token_prob:g} and --leave-unmasked-prob "
            f"{cfg.leave_unmasked_prob:g} are shares of one whole: lower either"
        )
    if cfg.frequency_power < 0:
        raise ValueError(f"--frequency-power {cfg.frequency_power:g} must not be below 0")
