"""``--task word_language_model``: words told from those before, or behind."""

import os
from dataclasses import dataclass, field
from typing import Optional

from fairseq import utils
from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from fairseq.tasks import FairseqTask, register_task
from omegaconf import II, MISSING

from .. import compat
from ..data import Side
from ..data.encoded_texts import EncodedTexts
from ..data.monolingual import has_words, text_file
from ..data.pairs.pair_files import require_directory
from ..data.sentences import SentenceDataset
from ..text import UNITS, load_dictionary
from .shared.batching import PackedBatching
from .shared.composer_transfer import composer_start, start_word_embedder
from .shared.filtering import CountedFiltering
from .shared.own_parts import OwnParts
from .shared.resolved_options import store_resolved
from .shared.scalar_logging import ScalarLogging
from .shared.vocabularies import SavedVocabularies


@dataclass
class WordLanguageModelConfig(FairseqDataclass):
    """Names and meanings are those of ``byte_translation`` where it has them."""

    data: str = field(default=MISSING, metadata={"help": "data directory"})
    source_lang: Optional[str] = field(
        default=None,
        metadata={
            "help": "ending of the files DATA/train.LANG and valid.LANG",
            "argparse_alias": "-s",
        },
    )
    source_unit: ChoiceEnum(list(UNITS)) = field(
        default="byte",
        metadata={"help": "what words are composed of; char reads DATA/dict.char.LANG.txt"},
    )
    max_source_positions: int = field(
        default=2048,
        metadata={
            "help": "longest sentence in symbols (bytes), end of sentence included; "
            "training drops longer ones"
        },
    )
    num_batch_buckets: int = field(
        default=0, metadata={"help": "pad to so many different lengths"}
    )
    train_subset: str = II("dataset.train_subset")
    required_seq_len_multiple: int = II("dataset.required_seq_len_multiple")


@register_task("word_language_model", dataclass=WordLanguageModelConfig)
class WordLanguageModelTask(
    OwnParts,
    ScalarLogging,
    CountedFiltering,
    PackedBatching,
    SavedVocabularies,
    FairseqTask,
):
    """A language model of the words of ``DATA/train.LANG``, ``valid.LANG``: raw text.

    Words are cut as ``wsf`` cuts them. What can be told are the words of
    ``DATA/dict.word.LANG.txt``; all others are ``<unk>``. Sentences are independent of
    each other, and of the batch that they are in.
    """

    NAME, ARCH = "word_language_model", "bilm"

    def __init__(self, cfg, dictionary):
        super().__init__(cfg)
        self.dictionary = dictionary

    @classmethod
    def setup_task(cls, cfg, **kwargs):
        """
        Raises:
            FileNotFoundError, ValueError: no language, several, or no vocabulary.
        """
        compat.utf8_standard_streams()
        if not cfg.source_lang or "," in cfg.source_lang:
            raise ValueError(
                f"--source-lang {cfg.source_lang or ''}: --task {cls.NAME} reads one "
                "language, DATA/train.LANG and valid.LANG: give -s LANG; text of several "
                "is joined into one file first"
            )
        data_dir = utils.split_paths(cfg.data)[0]
        return cls(cfg, load_dictionary(cfg.source_unit, data_dir, [cfg.source_lang]))

    @property
    def source_langs(self):
        """list of str: the one language."""
        return [self.cfg.source_lang]

    @property
    def source_dictionary(self):
        """TextDictionary: of the symbols that words are composed of."""
        return self.dictionary

    @property
    def target_dictionary(self):
        """None: the output is words of a list."""
        return

    def _read_words(self):
        (path,) = self.word_lists()
        if not os.path.exists(path):
            raise FileNotFoundError(
                f"no such file: {path}, the words that --task {self.NAME} can tell: write "
                "it with python data_prep/build_word_dict.py "
                f"{os.path.dirname(path)} -s {self.cfg.source_lang}, or copy that of "
                "training"
            )
        return super()._read_words()

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; the composer of a new model may start from another one.

        Raises:
            FileNotFoundError: no such data directory (a checkpoint needs none).
            OSError, RuntimeError, ValueError: see
                :func:`~.shared.composer_transfer.start_word_embedder`.
        """
        if not from_checkpoint:
            require_directory(utils.split_paths(self.cfg.data)[0])
        model = super().build_model(cfg, from_checkpoint)
        store_resolved(cfg, model)
        if composer_start(cfg) and not from_checkpoint:
            start_word_embedder(model, cfg, self)
        return model

    def _side(self, limit=None):
        return Side(self.source_langs, self.dictionary, limit=limit)

    def load_dataset(self, split, epoch=1, combine=False, **kwargs):
        """Load a split of the data directory (shards: colon-separated).

        Raises:
            FileNotFoundError: no such file.
            ValueError: it holds no word.
        """
        is_train = split == self.cfg.train_subset and "task_cfg" not in kwargs
        paths = utils.split_paths(self.cfg.data)
        data_dir = paths[(epoch - 1) % len(paths)] if is_train else paths[0]
        path = text_file(data_dir, split, self.cfg.source_lang)
        if not has_words(path):
            raise ValueError(f"{path} holds no word")
        # Training drops what is too long, and says so.
        side = self._side(None if is_train else self.cfg.max_source_positions)
        self.datasets[split] = SentenceDataset(
            side,
            {self.cfg.source_lang: side.open_lines(path)},
            shuffle=is_train,
            num_buckets=self.cfg.num_batch_buckets,
            pad_to_multiple=self.cfg.required_seq_len_multiple,
        )

    def dataset_of(self, texts, name):
        """Texts to score.

        Args:
            texts (list of str): of any length.
            name (str): of the texts, for messages.

        Returns:
            SentenceDataset
        """
        encoded = EncodedTexts(texts, self.dictionary, name=name)
        return SentenceDataset(self._side(), {self.cfg.source_lang: encoded})

    def max_positions(self):
        """int: sentences of more ids are not trained on."""
        return self.cfg.max_source_positions

    def build_generator(self, models, args, *rest, **kwargs):
        """Refuse: it is for scores and states (``fairseq-generate`` asks for it)."""
        raise ValueError(
            f"a model of the task {self.NAME} writes no text: use bytefusion score-text, "
            "or fairseq-validate for perplexities"
        )
