"""Which vocabularies a task has, and whether they are those of a checkpoint."""

import filecmp
import logging
import os

from fairseq import utils

from ...text import load_dictionary
from ...text.word_list import known_words, pack_words, read_word_list, unpack_words
from .language_tags import SIDES, LanguageTags

logger = logging.getLogger(__name__)


def load_dictionaries(cfg, sources, targets):
    """The dictionaries of both sides.

    Args:
        cfg (ByteTranslationConfig)
        sources (list of str), targets (list of str): languages; those of a side share a
            vocabulary.

    Returns:
        tuple of TextDictionary: of the source and of the target.

    Raises:
        FileNotFoundError, ValueError: see :func:`~..text.units.load_dictionary`.
    """
    data_dir = utils.split_paths(cfg.data)[0]
    source = load_dictionary(cfg.source_unit, data_dir, sources)
    target = load_dictionary(cfg.target_unit, data_dir, targets, "target")
    # Sorted: whatever order -s and -t have in a resumed training.
    if cfg.source_tag:
        source.set_tags(sorted(sources))
    if cfg.target_tag:
        target.set_tags(sorted(targets))
    return source, target


class SavedVocabularies(LanguageTags):
    """For a task of one side or two: a checkpoint knows its vocabularies, tags, words."""

    #: list of bytes: the known words of a mixture or of a table of words, once they were
    #: asked for
    _source_words = None

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; from here on the dictionaries cannot change.

        Raises:
            ValueError: a training of several targets without tags.
        """
        if not from_checkpoint:
            self._require_tags()
        self._has_model = True
        return super().build_model(cfg, from_checkpoint)

    def state_dict(self):
        """As in fairseq, what a checkpoint keeps of the task."""
        state = {**super().state_dict(), **self._saved_tags()}
        for side, dictionary in self._dictionaries():
            if hasattr(self.cfg, f"{side}_lang"):
                # The config of a checkpoint lacks what was not given but found in DATA.
                state[f"{side}_lang"] = getattr(self.cfg, f"{side}_lang")
            state[f"{side}_vocabulary"] = _describe(dictionary)
        if self._source_words is not None:
            # A tensor: every torch loads one without being told that it may.
            state["source_words"] = pack_words(self._source_words)
        return state

    def load_state_dict(self, state):
        """Called by fairseq before it builds the model of a checkpoint.

        The task takes over the tags of the checkpoint, whatever its own languages are, and
        its list of words, whatever file is there.

        Raises:
            ValueError: this task has other units or vocabularies than the checkpoint, or
                a language without a tag in it.
        """
        super().load_state_dict(state)
        self._check_vocabularies(state)
        self._adopt_tags(state)
        words = state.get("source_words")
        self._source_words = None if words is None else unpack_words(words)

    def _dictionaries(self):
        """Pairs of a side and its dictionary."""
        found = ((side, getattr(self, f"{side}_dictionary")) for side in SIDES)
        return [(side, dictionary) for side, dictionary in found if dictionary is not None]

    def _check_vocabularies(self, state, sides=SIDES):
        for side, dictionary in self._dictionaries():
            saved = state.get(f"{side}_vocabulary")
            # Where there is none, the checkpoint is older than this check.
            if saved is not None and side in sides:
                _check_same(side, dictionary, saved)

    def check_restored(self, state):
        """Called before training starts from a checkpoint: its rows must be ours.

        Raises:
            ValueError: a vocabulary, tags or a list of words that are not those of the
                checkpoint.
        """
        self._check_vocabularies(state)
        self._check_tags(state)
        words, own = state.get("source_words"), self._source_words
        if words is not None and own is not None and unpack_words(words) != own:
            raise ValueError(
                f"{os.path.basename(self.word_lists()[0])} is not the list of words it "
                "was trained with: put that in its place"
            )

    def check_source(self, state):
        """Called before a training takes over an encoder: its symbols must be ours.

        Raises:
            ValueError: a source vocabulary or tags that are not those of the checkpoint.
        """
        self._check_vocabularies(state, ("source",))
        self._check_tags(state, ("source",))

    def source_words(self):
        """The known words of a mixture or of a table of words: those of the checkpoint that
        is being loaded, or else those of :meth:`word_lists`.

        Words of the file that hold a character the source dictionary lacks are left out,
        and their number is logged.

        Returns:
            list of bytes

        Raises:
            FileNotFoundError: no such file.
            ValueError: several source languages whose lists differ; see also
                ``read_word_list``.
        """
        if self._source_words is None:
            self._source_words = self._read_words()
        return self._source_words

    def word_lists(self):
        """list of str: paths of ``DATA/dict.word.<source>.txt`` of every source."""
        data_dir = utils.split_paths(self.cfg.data)[0]
        return [
            os.path.join(data_dir, f"dict.word.{lang}.txt") for lang in self.source_langs
        ]

    def _read_words(self):
        paths = self.word_lists()
        path = paths[0]
        for each in paths:
            if not os.path.exists(each):
                raise FileNotFoundError(
                    f"no such file: {each}, the words that --encoder-embedder mixture "
                    "and words know: write it with data_prep/build_word_dict.py, or copy "
                    "that of training"
                )
            if not filecmp.cmp(path, each, shallow=False):
                raise ValueError(
                    f"{path} and {each} differ, and several sources share one list of "
                    "words: write it with python data_prep/build_word_dict.py "
                    f"{os.path.dirname(path)} -s {self.cfg.source_lang} -t "
                    f"{self.cfg.target_lang.split(',')[0]}"
                )
        words = read_word_list(path)
        known = known_words(words, self.source_dictionary)
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
