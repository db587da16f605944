"""Sentences as pieces, some of whose characters are masked, as a fairseq dataset."""

import logging

import numpy as np
import torch

from ...text.pieces import collate_spellings
from ..noised_dataset import NoisedDataset
from .drawing import corrupt_words, draw_share

logger = logging.getLogger(__name__)

#: target of a piece that is not predicted
NOT_CHOSEN = -1


class MaskedPiecesDataset(NoisedDataset):
    """Sentences between ``[CLS]`` and ``[SEP]``, some pieces of which are to be predicted.

    A share of the pieces that spell something is drawn, at least one. Of their characters
    80% are masked, 10% become others and 10% are kept: drawn ``character`` by character, or
    once a ``piece``. A sentence in which nothing can be drawn is left out, counted and
    logged.

    Args:
        sentences (list of int32[N]): rows of pieces.
        spellings (Spellings)
        ends (tuple of int): the rows of ``[CLS]``, ``[SEP]`` and padding.
        mask (int): the symbol that masks a character.
        pad (int): the symbol that pads words.
        prob (float): share of the pieces.
        level (str): one of ``LEVELS``.
        seed (int)
        is_training (bool): in another order, and with other pieces, every epoch.
        name (str): of the sentences, for messages.

    Source: Aguilar et al. 2021, *Char2Subword*, section 3.3; Devlin et al. 2019.
    """

    def __init__(
        self,
        sentences,
        spellings,
        ends,
        mask,
        pad,
        prob=0.15,
        level="character",
        seed=1,
        is_training=False,
        name="the text",
    ):
        super().__init__(shuffle=is_training)
        self.spellings, self.mask, self.pad = spellings, mask, pad
        self.cls, self.sep, self.padding = ends
        self.prob, self.level, self.seed = prob, level, seed
        self.sentences = [row for row in sentences if spellings.is_spelled[row].any()]
        left_out = len(sentences) - len(self.sentences)
        if left_out:
            logger.warning(
                "%s: %d of %d sentences have no piece to predict and are left out",
                *(name, left_out, len(sentences)),
            )
        #: int64[N]: pieces of each sentence, with its ends
        self.sizes = np.array([len(row) + 2 for row in self.sentences], np.int64)

    def set_epoch(self, epoch):
        """Let what is masked be that of ``epoch``, in training."""
        super().set_epoch(epoch if self.shuffle else 1)

    def ordered_indices(self):
        """int64[N]: by length; of equal length at random where ``shuffle``."""
        order = super().ordered_indices()
        return order[np.argsort(self.sizes[order], kind="stable")]

    def __getitem__(self, index):
        pieces = self.sentences[index]
        rng = np.random.default_rng((self.seed, self.epoch, index))
        is_spelled = self.spellings.is_spelled[pieces]
        chosen = draw_share(is_spelled, self.prob, rng)
        symbols = [self.spellings.symbols[row] for row in pieces[is_spelled]]
        changed = corrupt_words(
            *(symbols, chosen[is_spelled], self.level),
            *(self.mask, self.spellings.alphabet, rng),
        )
        found = np.full(len(pieces), NOT_CHOSEN)
        found[chosen] = pieces[chosen]
        return {
            "id": index,
            "pieces": np.array([self.cls, *pieces, self.sep]),
            "is_spelled": np.array([False, *is_spelled, False]),
            "symbols": changed,
            "target": np.array([NOT_CHOSEN, *found, NOT_CHOSEN]),
        }

    def collater(self, samples):
        """
        Args:
            samples (list of dict)

        Returns:
            dict: ``id`` Long[B]; ``net_input`` with ``symbols`` Long[U, C], ``lengths``
            Long[U] and ``begins`` Bool[U] of different pieces, ``index`` Long[B, P], which
            of these stands where, U where the row of ``pieces`` (Long[B, P]) does;
            ``chosen`` Bool[B, P]; ``target`` Long[N], their rows; ``ntokens``. Empty
            without samples.
        """
        if not samples:
            return {}
        shape = (len(samples), max(len(sample["pieces"]) for sample in samples))
        pieces, target = np.full(shape, self.padding), np.full(shape, NOT_CHOSEN)
        index, seen = np.full(shape, -1), {}
        for b, sample in enumerate(samples):
            length = len(sample["pieces"])
            pieces[b, :length], target[b, :length] = sample["pieces"], sample["target"]
            places = np.flatnonzero(sample["is_spelled"])
            begins = self.spellings.begins[sample["pieces"][places]]
            for place, row, begin in zip(places, sample["symbols"], begins.tolist()):
                key = (row.tobytes(), begin)
                index[b, place] = seen.setdefault(key, len(seen))
        rows = [torch.from_numpy(np.frombuffer(raw, np.int64).copy()) for raw, _ in seen]
        index[index < 0] = len(seen)
        chosen = torch.from_numpy(target != NOT_CHOSEN)
        return {
            "id": torch.tensor([sample["id"] for sample in samples]),
            "net_input": {
                **collate_spellings(rows, [begin for _, begin in seen], self.pad),
                "index": torch.from_numpy(index),
                "pieces": torch.from_numpy(pieces),
                "chosen": chosen,
            },
            "target": torch.from_numpy(target)[chosen],
            "nsentences": len(samples),
            "ntokens": sum(len(sample["pieces"]) for sample in samples),
        }
