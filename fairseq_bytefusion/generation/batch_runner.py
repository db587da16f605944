"""Batches of sentences through models, and what comes out as translations."""

import functools
from dataclasses import replace

from fairseq import utils

from ..text.symbol_words import bytes_of_symbols
from .alignment import WordAttention
from .batching import batches_by_length
from .hypothesis import Hypothesis, joined


class BatchRunner:
    """What searching and scoring have in common.

    Args:
        models (list of FairseqModel)
        task (ByteTranslationTask)
        device (torch.device)
    """

    def __init__(self, models, task, device):
        self.models, self.task, self.device = models, task, device

    def run(self, generator, dataset, batches, prefixes=None, count=None):
        """Hypotheses of all parts of all sentences.

        Args:
            generator: fairseq's, or a scorer.
            dataset (ParallelDataset): of the parts.
            batches (iterable of list of int): see :func:`batches_by_length`.
            prefixes (Prefixes, optional)
            count (int, optional): the most hypotheses of a part; by default all.

        Returns:
            dict of int to list of Hypothesis: the best first.
        """
        found = {}
        for chosen in batches:
            batch = self._batch(dataset, chosen)
            numbers = batch["id"].tolist()
            forced = None if prefixes is None else prefixes.batch(numbers)
            forced = None if forced is None else forced.to(self.device)
            rows = self.task.inference_step(generator, self.models, batch, forced)
            for number, hypotheses in zip(numbers, rows):
                found[number] = list(map(Hypothesis.of_fairseq, hypotheses[:count]))
        return found

    def attend(self, sources, dataset, found, batch_size):
        """Give all hypotheses of ``found``, what :meth:`run` returned, their attention.

        Raises:
            ValueError: see :class:`WordAttention`.
        """
        of_words = WordAttention(
            self.models,
            self.task.source_dictionary,
            self.task.target_dictionary,
            self.task.target_begin,
        )
        words, counts = sources.words(self._symbols[0])
        for rank in range(max(map(len, found.values()), default=0)):
            there = [i for i in found if rank < len(found[i])]
            lengths = [sources.lengths[i] for i in there]
            for chosen in batches_by_length(lengths, batch_size, progress=False):
                batch = self._batch(dataset, [there[i] for i in chosen])
                numbers = batch["id"].tolist()
                rows = of_words(
                    batch["net_input"],
                    [words[i] for i in numbers],
                    [counts[i] for i in numbers],
                    [found[i][rank].tokens for i in numbers],
                )
                for number, row in zip(numbers, rows):
                    found[number][rank].attention = row

    def translations(self, sources, found, lenpen=1.0):
        """list of Translation: a sentence each, of ``found``, what :meth:`run` returned."""
        translations = []
        for numbers, cut in zip(sources.of_line, sources.cut):
            parts = [found[number] for number in numbers]
            spaces = [sources.parts[number].space for number in numbers]
            best, *others = [
                joined(
                    # An empty part has one alone.
                    [hypotheses[min(rank, len(hypotheses) - 1)] for hypotheses in parts],
                    spaces,
                    self.task.target_dictionary,
                    self._symbols[1],
                    lenpen,
                    cut=cut,
                    parts=len(parts),
                )
                for rank in range(max(map(len, parts)))
            ]
            translations.append(replace(best, alternatives=tuple(others)))
        return translations

    def _batch(self, dataset, indices):
        batch = dataset.collater([dataset[i] for i in indices])
        return utils.apply_to_sample(lambda x: x.to(self.device), batch)

    @functools.cached_property
    def _symbols(self):
        """What the symbols of sources and of translations stand for."""
        task = self.task
        return [
            bytes_of_symbols(d) for d in (task.source_dictionary, task.target_dictionary)
        ]
