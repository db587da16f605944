"""Words, some of whose characters are masked, as a fairseq dataset."""

import logging

import numpy as np
import torch

from ..text.words import CONTINUATION, symbol_tables
from .masking import corrupt
from .noised_dataset import NoisedDataset

logger = logging.getLogger(__name__)


class MaskedWordsDataset(NoisedDataset):
    """Words a share of whose characters is to be found out, at least one of each.

    A character is masked, replaced or kept, with all its bytes::

        w o r d        w _ r d        the 2nd is to be found out

    Args:
        counts (dict of bytes to int): words, without white space, and how often they occur.
        dictionary (TextDictionary)
        max_chars (int): longer words are cut, counted and logged.
        prob (float): share of a word's characters.
        shares (tuple of float): of masked, replaced and kept symbols, see ``corrupt``.
        power (float): P; a word that occurs n times is in an epoch n^P times, rounded.
        seed (int or tuple)
        is_training (bool): in another order, and with other characters, every epoch.
        name (str): of the words, for messages.

    Raises:
        ValueError: no word without ``<unk>``.

    Source: Devlin et al. 2019, section 3.1, within words.
    """

    def __init__(
        self,
        counts,
        dictionary,
        max_chars=50,
        prob=0.2,
        shares=(0.8, 0.1, 0.1),
        power=0.5,
        seed=1,
        is_training=False,
        name="the words",
    ):
        super().__init__(shuffle=is_training)
        self.dictionary, self.prob, self.shares, self.seed = dictionary, prob, shares, seed
        symbols, times = [], []
        for word, count in counts.items():
            ids = np.asarray(dictionary.symbol_ids(word), np.int64)
            if dictionary.unk() not in ids:
                symbols.append(ids[:max_chars])
                times.append(max(1, round(count**power)))
        _report(name, counts, symbols, dictionary, max_chars)
        #: list of int64[C], different words
        self.symbols = symbols
        #: which of them each sample is
        self._word = np.repeat(np.arange(len(symbols)), times)
        #: int64[N]: symbols of each sample
        self.sizes = np.array([len(ids) for ids in symbols], np.int64)[self._word]
        self._goes_on = symbol_tables(dictionary)[CONTINUATION].numpy()
        self._alphabet = np.unique(np.concatenate(symbols))

    def set_epoch(self, epoch):
        """Let what is masked be that of ``epoch``, in training."""
        super().set_epoch(epoch if self.shuffle else 1)

    def ordered_indices(self):
        """int64[N]: by length; of equal length at random where ``shuffle``."""
        order = super().ordered_indices()
        return order[np.argsort(self.sizes[order], kind="stable")]

    def __getitem__(self, index):
        symbols = self.symbols[self._word[index]]
        seed = self.seed if isinstance(self.seed, tuple) else (self.seed,)
        rng = np.random.default_rng((*seed, self.epoch, index))
        chosen = draw_characters(~self._goes_on[symbols], self.prob, rng)
        changed = corrupt(
            *(symbols, chosen, self.dictionary.unk(), self._alphabet, self.shares), rng=rng
        )
        return {"id": index, "symbols": changed, "chosen": chosen, "target": symbols}

    def collater(self, samples):
        """
        Args:
            samples (list of dict)

        Returns:
            dict: ``id`` Long[U]; ``net_input`` with ``symbols`` Long[U, C], padded on the
            right, ``lengths`` Long[U], ``chosen`` Bool[U, C]; ``target`` Long[N], what
            the chosen ones were; ``ntokens``. Empty without samples.
        """
        if not samples:
            return {}

        def padded(key, value):
            rows = [torch.from_numpy(sample[key]) for sample in samples]
            return torch.nn.utils.rnn.pad_sequence(rows, True, value)

        chosen = padded("chosen", False)
        return {
            "id": torch.tensor([sample["id"] for sample in samples]),
            "net_input": {
                "symbols": padded("symbols", self.dictionary.pad()),
                "lengths": torch.tensor([len(sample["symbols"]) for sample in samples]),
                "chosen": chosen,
            },
            "target": padded("target", self.dictionary.pad())[chosen],
            "nsentences": len(samples),
            "ntokens": sum(len(sample["symbols"]) for sample in samples),
        }


def draw_characters(starts, prob, rng):
    """Which symbols of a word are to be found out.

    Of n characters ``prob n`` are drawn, a number that is rounded at random, and one at
    least; with a character all its symbols.

    Args:
        starts (bool[C]): whether a symbol begins a character.
        prob (float)
        rng (numpy.random.Generator)

    Returns:
        bool[C]
    """
    starts = starts.copy()
    starts[0] = True  # whatever a broken word begins with
    character = starts.cumsum() - 1
    count = character[-1] + 1
    wanted = max(1, int(prob * count + rng.random()))
    is_drawn = np.zeros(count, bool)
    is_drawn[rng.permutation(count)[:wanted]] = True
    return is_drawn[character]


def _report(name, words, symbols, dictionary, max_chars):
    """Log, or refuse, what cannot be learned from."""
    left_out = len(words) - len(symbols)
    if not symbols:
        raise ValueError(f"{name} holds no word whose {dictionary.plural} are all known")
    if left_out:
        logger.warning(
            "%s: %d of %d words hold <unk> and are left out", name, left_out, len(words)
        )
    num_cut = sum(len(dictionary.symbol_ids(word)) > max_chars for word in words)
    if num_cut:
        logger.warning(
            "%s: %d of %d words have more than %d %s and are cut there (--max-word-chars)",
            *(name, num_cut, len(words), max_chars, dictionary.plural),
        )
