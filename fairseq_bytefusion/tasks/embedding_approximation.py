"""``--task embedding_approximation``: words composed as a table has them."""

import functools
import logging
from dataclasses import dataclass, field

from fairseq.dataclass import FairseqDataclass
from fairseq.tasks import FairseqTask, register_task
from omegaconf import II, MISSING

from .. import compat
from ..data.tables.piece_dataset import PieceDataset
from ..data.tables.teacher import read_teacher
from ..text import ByteDictionary
from .shared.batching import PackedBatching
from .shared.composer_transfer import composer_start, start_composer
from .shared.own_parts import OwnParts
from .shared.scalar_logging import ScalarLogging

logger = logging.getLogger(__name__)

CLEAN, NOISED = "clean", "noised"


@dataclass
class EmbeddingApproximationConfig(FairseqDataclass):
    """What to learn, and with how much noise."""

    data: str = field(
        default=MISSING,
        metadata={
            "help": "the table to learn: a fairseq checkpoint, an .npy beside its .tsv, or "
            "a Hugging Face directory"
        },
    )
    noise_prob: float = field(
        default=0.5,
        metadata={
            "help": "how often an entry of more than four characters is misspelt "
            "in training"
        },
    )
    max_word_chars: int = field(
        default=50,
        metadata={"help": "longest entry in bytes; longer ones are cut"},
    )
    seed: int = II("common.seed")


@register_task("embedding_approximation", dataclass=EmbeddingApproximationConfig)
class EmbeddingApproximationTask(OwnParts, ScalarLogging, PackedBatching, FairseqTask):
    """Learn the rows of a table from their spelling.

    There are no files of splits: ``train`` is the vocabulary with noise, ``clean``
    without, ``noised`` its entries of more than four characters, each misspelt once.
    ``--valid-subset`` is ``clean,noised`` unless given.

    Source: Aguilar et al. 2021, *Char2Subword*, section 3.
    """

    NAME = ARCH = "embedding_approximation"

    def __init__(self, cfg):
        super().__init__(cfg)
        self.dictionary = ByteDictionary()

    @classmethod
    def add_args(cls, parser):
        super().add_args(parser)
        # fairseq looks for forgotten files of validation in the folder DATA.
        parser.set_defaults(
            valid_subset=f"{CLEAN},{NOISED}", ignore_unused_valid_subsets=True
        )

    @classmethod
    def setup_task(cls, cfg, **kwargs):
        """
        Raises:
            ValueError: an option out of its range.
        """
        compat.utf8_standard_streams()
        if not 0 <= cfg.noise_prob <= 1:
            raise ValueError(f"--noise-prob {cfg.noise_prob} must lie between 0 and 1")
        if cfg.max_word_chars < 1:
            raise ValueError(f"--max-word-chars {cfg.max_word_chars} must be at least 1")
        return cls(cfg)

    @functools.cached_property
    def teacher(self):
        """Teacher: read when first asked for.

        Raises:
            OSError, ValueError: see :func:`~..data.teacher.read_teacher`.
        """
        teacher = read_teacher(self.cfg.data)
        logger.info(
            "%s: %d rows of %d numbers to learn, %d of them begin a word",
            *(self.cfg.data, *teacher.table.shape, sum(p.begins for p in teacher.pieces)),
        )
        return teacher

    @property
    def source_dictionary(self):
        """ByteDictionary: the symbols that words are composed of."""
        return self.dictionary

    @property
    def target_dictionary(self):
        """None: the output is vectors."""
        return

    def start_training(self, model, cfg):
        """Called before a training that does not go on from a checkpoint of its own.

        Args:
            model (EmbeddingApproximationModel): changed in place.
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
            ValueError: no such split, or no entry for it.
        """
        options = {
            "train": {"noise_prob": self.cfg.noise_prob, "shuffle": True},
            CLEAN: {},
            NOISED: {"noise_prob": 1.0, "only_misspelt": True},
        }
        if split not in options:
            raise ValueError(f"no split {split!r}: choose from {', '.join(options)}")
        dataset = PieceDataset(
            self.teacher.pieces,
            self.dictionary,
            self.cfg.max_word_chars,
            # Another noise than that of training, or what is learned were tested.
            seed=(split, self.cfg.seed),
            **options[split],
        )
        if not len(dataset):  # only the misspelt ones are ever left out
            raise ValueError(
                f"no entry of {self.cfg.data} has more than four characters: give "
                f"--valid-subset {CLEAN}"
            )
        self.datasets[split] = dataset

    def max_positions(self):
        """None: longer entries are cut."""
        return
