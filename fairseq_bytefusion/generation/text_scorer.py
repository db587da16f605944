"""Probabilities of text from Python."""

import logging
from dataclasses import dataclass
from typing import Tuple

import torch
from fairseq import checkpoint_utils, utils

from ..modules.heads.word_softmax import UNKNOWN
from ..tasks.word_language_model import WordLanguageModelTask
from ..text.words import symbol_tables, unique_words
from .batching import batches_by_length
from .checkpoint_task import language_model_overrides
from .labeller import single_checkpoint
from .loading import choose_device
from .sentences import check_count, read_sentences_of_list

logger = logging.getLogger(__name__)

BEGIN, END = "<s>", "</s>"
#: a character of a word that no symbol of the model's vocabulary stands for
NO_SYMBOL = "\ufffd"


@dataclass(frozen=True)
class WordScores:
    """What a direction of a language model tells of a sentence, in the sentence's order:
    forward its words and ``</s>``, backward ``<s>`` and its words."""

    #: as the model reads them: with ``NO_SYMBOL`` for what its vocabulary lacks
    words: Tuple[str, ...]
    #: natural logarithm of the probability of each
    log_probabilities: Tuple[float, ...]
    #: whether each is in the list of words; what is not has the probability of ``<unk>``
    is_known: Tuple[bool, ...]

    @property
    def log_probability(self):
        """float: of the sentence."""
        return sum(self.log_probabilities)


class TextScorer:
    """A trained language model of words.

    Args:
        model (BiLMModel)
        task (WordLanguageModelTask): the task it was trained on.
        device (str or torch.device)
    """

    NAME, PURPOSE = WordLanguageModelTask.NAME, "tells how probable text is"

    def __init__(self, model, task, device="cpu"):
        self.model = model.to(device).eval()
        self.task = task
        self.device = torch.device(device)

    @classmethod
    def from_pretrained(cls, path_or_dir, device=None, data=None):
        """Load a checkpoint; the data it was trained on need not be there any more.

        Args:
            path_or_dir, device, data: as of :meth:`~.labeller.Labeller.from_pretrained`.

        Raises:
            OSError, RuntimeError, ValueError: as of that.
        """
        device = choose_device(device)
        path = single_checkpoint(path_or_dir)
        overrides = language_model_overrides(path, cls.NAME, cls.PURPOSE, data)
        overrides["bf16"] = False
        models, _, task = checkpoint_utils.load_model_ensemble_and_task(
            [path], arg_overrides=overrides
        )
        return cls(models[0], task, device)

    def score(self, sentences, batch_size=32, progress=True):
        """Log-probabilities of sentences and of their words.

        How many words are none of the list is logged.

        Args:
            sentences (list of str): one sentence each; a line end behind it is dropped.
            batch_size (int): sentences scored together.
            progress (bool): show a progress bar on standard error.

        Returns:
            list of dict of str to WordScores: of each direction, in the order of
            ``sentences``.

        Raises:
            TypeError: ``sentences`` is not a list of str; a batch size that is no whole
                number.
            ValueError: a line end within a sentence; a batch size below one.
        """
        lines = read_sentences_of_list(sentences)
        check_count("batch_size", batch_size)
        dataset = self.task.dataset_of(lines, "the text")
        lengths = [dataset.num_tokens(i) for i in range(len(lines))]
        found = [None] * len(lines)
        for chosen in batches_by_length(lengths, batch_size, progress):
            batch = dataset.collater([dataset[i] for i in chosen])
            batch = utils.apply_to_sample(lambda x: x.to(self.device), batch)
            for row, scores in zip(batch["id"].tolist(), self._score_batch(batch)):
                found[row] = scores
        self._log_unknown(found)
        return found

    @torch.no_grad()
    def _score_batch(self, batch):
        tokens = batch["net_input"]["src_tokens"]
        words = self._words_of(tokens)
        found = [{} for _ in words]
        for name, (states, rows, tells) in self.model(tokens).items():
            own = self.model.log_probabilities(states)
            own = own.gather(1, rows.unsqueeze(1)).flatten()
            counts = tells.sum(1).tolist()
            parts = zip(words, own.split(counts), rows.split(counts))
            for scores, (own_words, values, ids) in zip(found, parts):
                told = [*own_words, END] if name == "forward" else [BEGIN, *own_words]
                known = ids.ne(UNKNOWN).tolist()
                scores[name] = WordScores(*map(tuple, (told, values.tolist(), known)))
        return found

    def _words_of(self, tokens):
        """The words of each sentence of ``tokens`` (Long[B, T]), cut as the model cuts."""
        dictionary = self.task.source_dictionary
        tables = symbol_tables(dictionary).to(tokens.device)
        words = unique_words(tokens, dictionary.pad(), tables, tokens.shape[1])
        spelled = [
            _spell(dictionary, row[:length])
            for row, length in zip(words.symbols.tolist(), words.lengths.tolist())
        ]
        rows = words.index.tolist()
        # The last one of a sentence is </s>.
        return [[spelled[i] for i in row if i < len(spelled)][:-1] for row in rows]

    def _log_unknown(self, found):
        known = [flag for scores in found for flag in scores["forward"].is_known]
        if not all(known):
            logger.warning(
                "%d of %d words are none of the model's list and have the probability of "
                "<unk>",
                *(len(known) - sum(known), len(known) - len(found)),
            )


def _spell(dictionary, symbols):
    """str: a word of ``symbols`` (list of int)."""
    # Bytes are decoded together: one of them is no character.
    parts = [[]]
    for symbol in symbols:
        if symbol == dictionary.unk():
            parts.append([])
        else:
            parts[-1].append(symbol)
    return NO_SYMBOL.join(map(dictionary.decode, parts))
