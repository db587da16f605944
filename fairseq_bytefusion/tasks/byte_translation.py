"""``--task byte_translation``: from raw text to raw text."""

import logging
from dataclasses import replace

import torch
from fairseq import utils
from fairseq.data import ListDataset
from fairseq.tasks import register_task
from fairseq.tasks.translation import TranslationTask

from .. import compat
from ..data import ParallelDataset, Side, load_parallel
from ..data.pairs.pair_files import require_directory
from ..models.byte_transformer import ByteTransformerModel
from ..search import (
    BeamGenerator,
    check_draft_options,
    draft_generator_class,
    utf8_generator_class,
)
from .shared.batching import PackedBatching
from .shared.composer_transfer import composer_start, start_word_embedder
from .shared.encoder_transfer import EncoderTransfer
from .shared.filtering import CountedFiltering
from .shared.generation_limits import GenerationLimits
from .shared.inference import TaggedInference
from .shared.language_model import LanguageModelTransfer
from .shared.languages import complete_languages, language_codes
from .shared.lookahead_training import LookaheadTraining
from .shared.positions import LearnedPositions
from .shared.resolved_options import store_resolved
from .shared.scalar_logging import ScalarLogging
from .shared.translation_options import ByteTranslationConfig
from .shared.validation import LoggedValidation
from .shared.vocabularies import SavedVocabularies, load_dictionaries

logger = logging.getLogger(__name__)


@register_task("byte_translation", dataclass=ByteTranslationConfig)
class ByteTranslationTask(
    ScalarLogging,
    LoggedValidation,
    CountedFiltering,
    PackedBatching,
    GenerationLimits,
    LearnedPositions,
    SavedVocabularies,
    LookaheadTraining,
    LanguageModelTransfer,
    TaggedInference,
    EncoderTransfer,
    TranslationTask,
):
    """Translation between raw-text files, read and written as symbols of a unit.

    ``DATA`` holds ``train.de-en.de``, ``train.de-en.en``, likewise ``valid`` and
    ``test``: one sentence a line. There may be several sources (``-s de,fr``) and, with
    ``--target-tag``, several targets: every source is translated into every target.
    Training drops pairs that are empty or too long and says how many; every other split
    keeps every line, an over-long source cut to ``--max-source-positions``.
    """

    NAME = "byte_translation"

    @classmethod
    def setup_task(cls, cfg, **kwargs):
        """Set up the task; what is not given of the language pair is inferred.

        Raises:
            FileNotFoundError, ValueError: see ``complete_languages`` and
                ``load_dictionaries``.
            ValueError: an option that byte_translation does not have, or a bad value.
        """
        compat.utf8_standard_streams()
        if cfg.load_alignments:
            raise ValueError(
                "--load-alignments reads binarised files, which byte_translation "
                "does not have: drop that flag"
            )
        check_draft_options(cfg)
        if not cfg.sampling_temperature > 0:
            raise ValueError(
                f"--sampling-temperature {cfg.sampling_temperature:g} must be above 0: 1 "
                "mixes the pairs as they are, 5 makes their shares more alike"
            )
        return cls(cfg, *load_dictionaries(cfg, *complete_languages(cfg)))

    @property
    def source_langs(self):
        """list of str: the source languages, one or several."""
        return language_codes(self.cfg.source_lang, "--source-lang")

    @property
    def target_langs(self):
        """list of str: the target languages, one or several."""
        return language_codes(self.cfg.target_lang, "--target-lang")

    @property
    def source_side(self):
        """Side: what can be encoded."""
        return Side(
            self.source_langs,
            self.src_dict,
            limit=self.most_positions("encoder", self.cfg.max_source_positions),
            left_pad=self.cfg.left_pad_source,
            name="source",
            flag="--max-source-positions",
        )

    @property
    def target_side(self):
        """Side: what can be scored."""
        return Side(
            self.target_langs,
            self.tgt_dict,
            limit=self.most_positions("decoder"),
            left_pad=self.cfg.left_pad_target,
            name="target",
            flag="--max-target-positions",
            tags_apart=True,
        )

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; its word composer may start from another.

        Raises:
            FileNotFoundError: no such data directory (a checkpoint needs none).
            OSError, RuntimeError, ValueError: see
                :func:`~.composer_transfer.start_word_embedder`.
        """
        if not from_checkpoint:
            # fairseq lists it next, and would say less.
            require_directory(utils.split_paths(self.cfg.data)[0])
        else:
            ByteTransformerModel.resolve_as_before(cfg)
        model = super().build_model(cfg, from_checkpoint)
        store_resolved(cfg, model)
        if composer_start(cfg) and not from_checkpoint:
            start_word_embedder(model, cfg, self)
        return model

    @classmethod
    def build_dictionary(cls, *args, **kwargs):
        """Refuse: there is nothing to build (``fairseq-preprocess`` asks for it)."""
        raise ValueError(
            "byte_translation reads raw text: give fairseq-train the text directory, "
            "without fairseq-preprocess"
        )

    def load_dataset(self, split, epoch=1, combine=False, **kwargs):
        """Load a split of the raw-text directory (shards: colon-separated).

        Raises:
            FileNotFoundError, ValueError: see ``data.load_parallel``.
        """
        cfg = self.cfg
        # Only what runs a trained model passes on the config it was trained with.
        is_train = split == cfg.train_subset and "task_cfg" not in kwargs
        paths = utils.split_paths(cfg.data)
        if not is_train:
            paths = paths[:1]  # valid and test data are in the first shard
        source, target = self.source_side, self.target_side
        if is_train:  # which drops what is too long
            target = replace(target, limit=None)
            if not cfg.truncate_source:
                source = replace(source, limit=None)
        self.datasets[split] = load_parallel(
            paths[(epoch - 1) % len(paths)],
            split,
            source,
            target,
            combine=max(1, cfg.upsample_primary) if combine else 0,
            target_required=is_train or split.startswith("valid"),
            shuffle=is_train,
            temperature=cfg.sampling_temperature,
            num_buckets=cfg.num_batch_buckets,
            pad_to_multiple=cfg.required_seq_len_multiple,
        )

    def build_dataset_for_inference(
        self, src_tokens, src_lengths, constraints=None, targets=None
    ):
        """A dataset of sources, alone for ``fairseq-interactive``, or with targets (list
        of Long[T]) to score.

        Raises:
            ValueError: the model has tags of targets, and none is chosen.
        """
        sides, columns = [self.source_side], [ListDataset(src_tokens, src_lengths)]
        if targets is not None:
            sides.append(self.target_side)
            columns.append(ListDataset(targets, list(map(len, targets))))
        parts = {self.cfg.source_lang: tuple(columns)}
        tags = self.target_tag().tolist()
        return ParallelDataset(sides, parts, begins=tags, constraints=constraints)

    def get_interactive_tokens_and_lengths(self, lines, encode_fn):
        """Ids and lengths of ``lines``; an over-long line is cut, with a warning.

        Raises:
            ValueError: the model has tags, and the lines' language is not known.
        """
        tag, limit = self.source_tag(), self.most_of_line
        tokens = []
        for line in lines:
            ids = self.source_dictionary.encode_line(encode_fn(line)).long()
            if len(ids) > limit:
                logger.warning(
                    "a line of %d %s is cut to %d (--max-source-positions); bytefusion "
                    "translate --split-long translates all of it",
                    len(ids) - 1,
                    self.source_dictionary.plural,
                    limit - 1,
                )
                ids = self.source_dictionary.truncate(ids, limit)
            tokens.append(torch.cat([tag, ids]))
        return tokens, [len(ids) for ids in tokens]

    @property
    def most_of_line(self):
        """int: the most ids of a line to translate, ``</s>`` included, the tag not."""
        return self.source_side.limit - len(self.source_tag())

    def build_generator(
        self, models, args, seq_gen_cls=None, extra_gen_cls_kwargs=None, **kwargs
    ):
        """As in fairseq, but for valid UTF-8.

        Raises:
            ValueError: a generation option that cannot be kept to valid UTF-8, or that
                is for words; ``--print-alignment`` for a model whose encoder sees words.
        """
        composed = any(getattr(model, "composes_words", False) for model in models)
        if composed and getattr(args, "print_alignment", None):
            raise ValueError(
                "--print-alignment shows source symbols, and the encoder of this model "
                "sees words: drop that flag"
            )
        if getattr(args, "replace_unk", None) is not None:
            raise ValueError(
                "--replace-unk copies words of the source, and the symbols of "
                f"--target-unit {self.target_dictionary.unit} are none: drop that flag"
            )
        for flag in ("prefix_size", "score_reference"):
            if getattr(args, flag, 0):
                self.require_references(f"--{flag.replace('_', '-')}")
        extra_gen_cls_kwargs = dict(extra_gen_cls_kwargs or {})
        if tags := self.tgt_dict.tags:
            # They are no text; the search for valid UTF-8 knows, others do not.
            names = [self.tgt_dict[i] for i in tags.values()]
            extra_gen_cls_kwargs.setdefault("tokens_to_suppress", names)
        is_bytes = self.target_dictionary.unit == "byte"
        is_utf8 = is_bytes and not self.cfg.allow_invalid_utf8
        # From Python they come with the other options of a search.
        drafts = args if hasattr(args, "draft") else self.cfg
        if seq_gen_cls is None and drafts.draft != "none":
            seq_gen_cls, extra = draft_generator_class(
                models, args, drafts, self.tgt_dict, is_utf8
            )
            extra_gen_cls_kwargs = {**extra, **extra_gen_cls_kwargs}
        elif seq_gen_cls is None and is_utf8:
            seq_gen_cls, extra = utf8_generator_class(args)
            extra_gen_cls_kwargs = {**extra, **extra_gen_cls_kwargs}
        elif seq_gen_cls is None and not getattr(args, "print_alignment", None):
            seq_gen_cls = BeamGenerator
        return super().build_generator(
            models, args, seq_gen_cls, extra_gen_cls_kwargs, **kwargs
        )

    def require_references(self, what):
        """Raise ValueError where a loaded split has no references, which ``what`` needs."""
        for split, dataset in self.datasets.items():
            if dataset.tgt is None:
                raise ValueError(
                    f"{what} needs references, and {split} of {self.cfg.data} has none"
                )
