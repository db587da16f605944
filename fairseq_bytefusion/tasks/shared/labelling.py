"""What tagging and classification share: a task of one side, with labels."""

import os

from fairseq import utils
from fairseq.tasks import FairseqTask

from ... import compat
from ...data import Side
from ...data.labelled import LabelledDataset, encode_sentences, labelled_file
from ...data.pairs.pair_files import require_directory
from ...models.labelling_model import LabellingModel
from ...text import load_dictionary
from .batching import PackedBatching
from .composer_transfer import composer_start, start_word_embedder
from .encoder_transfer import EncoderTransfer
from .filtering import CountedFiltering
from .labels import SavedLabels
from .language_model import LanguageModelTransfer
from .own_parts import OwnCriterion
from .positions import LearnedPositions
from .pretrained_transfer import PretrainedTransfer
from .resolved_options import store_resolved
from .scalar_logging import ScalarLogging
from .vocabularies import SavedVocabularies


class LabellingTask(
    OwnCriterion,
    ScalarLogging,
    CountedFiltering,
    PackedBatching,
    LearnedPositions,
    PretrainedTransfer,
    SavedLabels,
    SavedVocabularies,
    LanguageModelTransfer,
    EncoderTransfer,
    FairseqTask,
):
    """A task that labels sentences, or their words.

    ``DATA`` holds ``train``, ``valid`` and ``test``. Over-long sentences are cut behind a
    word; training drops what is empty or longer than ``--max-tokens``. A subclass defines
    ``NAME``, ``ENDING`` (of its files), ``count_labels(path)``, ``read_labelled(path)`` and
    ``encode_labels(labels, sentences)``.
    """

    NAME = ENDING = None
    #: there is no language: the text of all of them has one vocabulary
    source_langs = ()

    def __init__(self, cfg, dictionary):
        super().__init__(cfg)
        self.dictionary = dictionary

    @classmethod
    def setup_task(cls, cfg, **kwargs):
        """Set up the task; labels are read when they are first asked for.

        Raises:
            FileNotFoundError, ValueError: no vocabulary, or one without a space.
        """
        compat.utf8_standard_streams()
        dictionary = load_dictionary(cfg.source_unit, utils.split_paths(cfg.data)[0])
        _require_spaces(cls.NAME, dictionary)
        return cls(cfg, dictionary)

    @property
    def source_dictionary(self):
        """TextDictionary: of the symbols of sentences."""
        return self.dictionary

    @property
    def target_dictionary(self):
        """None: the output is labels."""
        return

    def word_lists(self):
        """list of str: the path of ``DATA/dict.word.txt``."""
        return [os.path.join(utils.split_paths(self.cfg.data)[0], "dict.word.txt")]

    @property
    def source_side(self):
        """Side: what can be encoded."""
        return Side(
            ["text"],
            self.dictionary,
            limit=self.most_positions("encoder", self.cfg.max_source_positions),
            left_pad=self.cfg.left_pad_source,
        )

    def max_positions(self):
        """int: sentences of more ids are cut."""
        return self.cfg.max_source_positions

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; its word composer may start from another.

        Raises:
            FileNotFoundError: no such data directory (a checkpoint needs none).
            OSError, RuntimeError, ValueError: see
                :func:`~.composer_transfer.start_word_embedder`.
        """
        if from_checkpoint:
            LabellingModel.resolve_as_before(cfg)
        else:
            require_directory(utils.split_paths(self.cfg.data)[0])
        model = super().build_model(cfg, from_checkpoint)
        store_resolved(cfg, model)
        if composer_start(cfg) and not from_checkpoint:
            start_word_embedder(model, cfg, self)
        return model

    def load_dataset(self, split, epoch=1, combine=False, **kwargs):
        """Load a split of the data directory (shards: colon-separated).

        Raises:
            FileNotFoundError, ValueError: see :func:`~...data.labelled.labelled_file` and
                :meth:`read_labelled`.
        """
        is_train = split == self.cfg.train_subset and "task_cfg" not in kwargs
        paths = utils.split_paths(self.cfg.data)
        data_dir = paths[(epoch - 1) % len(paths)] if is_train else paths[0]
        path = labelled_file(data_dir, split, self.ENDING)
        texts, labels = self.read_labelled(path)
        side = self.source_side
        sentences = encode_sentences(texts, side, path, **self.shortening)
        ids = self.encode_labels(labels, sentences)
        self.warn_of_unknown(ids, path)
        self.datasets[split] = LabelledDataset(
            side,
            {"text": sentences},
            ids,
            self.features_of(texts),
            shuffle=is_train,
            num_buckets=self.cfg.num_batch_buckets,
            pad_to_multiple=self.cfg.required_seq_len_multiple,
        )

    def dataset_of(self, texts, name):
        """Texts to label.

        Args:
            texts (list of str or bytes): over-long ones are cut.
            name (str): of the texts, for messages.

        Returns:
            LabelledDataset: without labels.
        """
        side = self.source_side
        sentences = encode_sentences(texts, side, name, **self.shortening)
        features = self.features_of(texts)
        return LabelledDataset(side, {"text": sentences}, features=features)

    def features_of(self, texts):
        """None: a model gets nothing of ``texts`` (list of str) beside their symbols. Else
        a function, see :class:`~...data.labelled.LabelledDataset`."""
        return

    def build_generator(self, models, args, *rest, **kwargs):
        """Refuse: there is no text to generate (``fairseq-generate`` asks for it)."""
        raise ValueError(
            f"a model of the task {self.NAME} writes labels, not text: use bytefusion "
            "predict, or fairseq-validate for the loss"
        )


def _require_spaces(name, dictionary):
    if not dictionary.spaces_apart:
        raise ValueError(
            f"--task {name} tells words apart by the spaces between them, and a symbol of "
            f"--source-unit {dictionary.unit} may be a space and letters: choose byte or "
            "char"
        )
    if dictionary.unk() in dictionary.symbol_ids(b" "):
        raise ValueError(
            f"{dictionary.path} lacks the space, by which --task {name} tells words apart: "
            "make it with python data_prep/build_vocab.py DATA --labels --kinds char"
        )
