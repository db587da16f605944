"""``--task masked_pieces``: pieces of a pre-trained model from their characters."""

import os
from dataclasses import dataclass, field
from typing import Optional

from fairseq import utils
from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from fairseq.tasks import FairseqTask, register_task
from omegaconf import II, MISSING

from .. import compat
from ..data.hugging_face import read_masked_lm
from ..data.masked_pieces.dataset import MaskedPiecesDataset
from ..data.masked_pieces.drawing import LEVELS
from ..data.masked_pieces.sentences import Spellings, read_sentences_of_pieces
from ..data.pairs.pair_files import require_directory
from ..modules.pretrained import PieceReader
from ..modules.pretrained.input_embedder import NUM_ENDS
from ..modules.pretrained.parts import num_positions
from ..text import ByteDictionary
from ..text.pieces import read_pieces
from .shared.batching import PackedBatching
from .shared.composer_transfer import composer_start, start_composer
from .shared.own_parts import OwnParts
from .shared.pretrained_transfer import SavedPretrained
from .shared.scalar_logging import ScalarLogging


@dataclass
class MaskedPiecesConfig(FairseqDataclass):
    """The text, the pre-trained model, and what is masked."""

    data: str = field(
        default=MISSING,
        metadata={"help": "directory with train.LANG and valid.LANG, a sentence a line"},
    )
    source_lang: Optional[str] = field(
        default=None, metadata={"help": "LANG", "argparse_alias": "-s"}
    )
    pretrained: Optional[str] = field(
        default=None,
        metadata={
            "help": "a directory of Hugging Face, with a head for masked language modelling"
        },
    )
    mask_prob: float = field(
        default=0.15, metadata={"help": "share of the pieces that are predicted"}
    )
    mask_level: ChoiceEnum(list(LEVELS)) = field(
        default="character",
        metadata={
            "help": "of these 80% are masked, 10% replaced and 10% kept: drawn for each "
            "character, or for all characters of a piece"
        },
    )
    max_word_chars: int = field(
        default=50, metadata={"help": "longest piece in bytes; longer ones are cut"}
    )
    seed: int = II("common.seed")
    train_subset: str = II("dataset.train_subset")


@register_task("masked_pieces", dataclass=MaskedPiecesConfig)
class MaskedPiecesTask(
    OwnParts, ScalarLogging, PackedBatching, SavedPretrained, FairseqTask
):
    """Predict pieces of ``DATA/train.LANG`` from what is left of their spelling.

    Source: Aguilar et al. 2021, *Char2Subword*, section 3.3.
    """

    NAME, ARCH = "masked_pieces", "char2subword_mlm"
    _positions = None

    def __init__(self, cfg):
        super().__init__(cfg)
        self.dictionary = ByteDictionary()

    @classmethod
    def setup_task(cls, cfg, **kwargs):
        """
        Raises:
            ValueError: an option that is missing or out of its range.
        """
        compat.utf8_standard_streams()
        if not cfg.source_lang:
            raise ValueError(
                "say with -s LANG which of DATA/train.LANG, valid.LANG is read"
            )
        if not cfg.pretrained:
            raise ValueError(
                f"--task {cls.NAME} needs --pretrained DIR, a directory of Hugging Face"
            )
        if not 0 < cfg.mask_prob <= 1:
            raise ValueError(f"--mask-prob {cfg.mask_prob} must be above 0 and at most 1")
        if cfg.max_word_chars < 1:
            raise ValueError(f"--max-word-chars {cfg.max_word_chars} must be at least 1")
        return cls(cfg)

    @property
    def source_dictionary(self):
        """ByteDictionary: the symbols that pieces are composed of."""
        return self.dictionary

    @property
    def target_dictionary(self):
        """None: the output is rows of the pre-trained table."""
        return

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; configuration and tokenizer are those of the checkpoint that is
        loaded, or else of ``--pretrained``.

        Raises:
            OSError, ValueError: see :func:`~..data.hugging_face.read_parts`.
        """
        if not from_checkpoint:
            require_directory(utils.split_paths(self.cfg.data)[0])
            self.read_pretrained(self.cfg.pretrained)
        model = super().build_model(cfg, from_checkpoint)
        self._positions = num_positions(model.masked_lm.base_model)
        return model

    def start_training(self, model, cfg):
        """Called before a training that does not go on from a checkpoint of its own.

        Args:
            model (Char2SubwordMLMModel): changed in place.
            cfg (DictConfig or Namespace): its options.

        Raises:
            OSError, RuntimeError, ValueError: a directory or a checkpoint that cannot be
                taken, see :func:`~..data.hugging_face.read_masked_lm` and
                :func:`~.shared.composer_transfer.start_composer`.
        """
        model.load_masked_lm(read_masked_lm(self.cfg.pretrained, cfg.new_head))
        if composer_start(cfg):
            start_composer(model.composer, cfg, self)

    def load_dataset(self, split, epoch=1, combine=False, **kwargs):
        """Load a split of the data directory (shards: colon-separated).

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: there is no word in it, or a vocabulary that does not spell.
        """
        paths = utils.split_paths(self.cfg.data)
        is_train = split == self.cfg.train_subset
        folder = paths[(epoch - 1) % len(paths)] if is_train else paths[0]
        path = os.path.join(folder, f"{split}.{self.cfg.source_lang}")
        if not os.path.isfile(path):
            require_directory(folder)
            raise FileNotFoundError(
                f"no such file: {path}: a sentence a line of raw text (--source-lang "
                f"{self.cfg.source_lang})"
            )
        most = None if self._positions is None else self._positions - NUM_ENDS
        reader = PieceReader(self.pretrained, most)
        sentences = read_sentences_of_pieces(path, lambda raw: reader(raw).pieces, most)
        special = self.pretrained.special
        self.datasets[split] = MaskedPiecesDataset(
            sentences,
            self._spellings(reader),
            (special["cls"], special["sep"], special["pad"]),
            self.dictionary.unk(),
            self.dictionary.pad(),
            self.cfg.mask_prob,
            self.cfg.mask_level,
            self.cfg.seed,
            is_training=is_train,
            name=path,
        )

    def _spellings(self, reader):
        pieces, _ = read_pieces(reader.names())
        return Spellings.of(pieces, self.dictionary, self.cfg.max_word_chars)

    def max_positions(self):
        """None: long sentences are cut."""
        return
