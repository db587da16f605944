"""The spelling of each row of a table, misspelt now and then, as a fairseq dataset."""

import logging

import numpy as np
import torch

from ...text.noise.misspell import LONGEST_KEPT, misspell_entry
from ...text.pieces import collate_spellings, symbols_of
from ...text.text_dictionary import encode_utf8
from ..noised_dataset import NoisedDataset

logger = logging.getLogger(__name__)


class PieceDataset(NoisedDataset):
    """Pieces of a vocabulary as ids, with the row each stands for.

    Args:
        pieces (list of Piece): piece i spells row i.
        dictionary (ByteDictionary)
        max_chars (int): longer ones are cut, counted and logged.
        noise_prob (float): how often a piece is misspelt, anew in every epoch.
        seed (int or tuple): of that noise, together with the epoch and the row.
        only_misspelt (bool): leave out the pieces that are too short to be.
        shuffle (bool)
    """

    def __init__(
        self,
        pieces,
        dictionary,
        max_chars=50,
        noise_prob=0.0,
        seed=1,
        only_misspelt=False,
        shuffle=False,
    ):
        super().__init__(shuffle)
        self.pieces = pieces
        self.dictionary = dictionary
        self.max_chars = max_chars
        self.noise_prob, self.seed = noise_prob, seed
        self.rows = [
            row
            for row, piece in enumerate(pieces)
            if not only_misspelt or len(piece.text) > LONGEST_KEPT
        ]
        lengths = np.array([len(encode_utf8(pieces[row].text)) for row in self.rows])
        num_cut = int((lengths > max_chars).sum())
        if num_cut:
            logger.warning(
                "%d of %d pieces have more than %d bytes and are cut there "
                "(--max-word-chars)",
                *(num_cut, len(lengths), max_chars),
            )
        #: int64[N]: ids of each piece, without noise
        self.sizes = np.minimum(lengths, max_chars)

    def __getitem__(self, index):
        row = self.rows[index]
        piece = self.pieces[row]
        text = misspell_entry(piece.text, self.noise_prob, self.seed, self.epoch, row)
        return {
            "id": index,
            "row": row,
            "begins": piece.begins,
            "symbols": symbols_of(text, self.dictionary, self.max_chars),
        }

    def collater(self, samples):
        """
        Args:
            samples (list of dict)

        Returns:
            dict: ``id`` Long[U]; ``net_input`` with ``symbols`` Long[U, C], padded on
            the right, ``lengths`` Long[U], ``begins`` Bool[U]; ``target`` Long[U], the
            rows; ``ntokens``. Empty without samples.
        """
        if not samples:
            return {}
        symbols = [sample["symbols"] for sample in samples]
        return {
            "id": torch.tensor([sample["id"] for sample in samples]),
            "net_input": collate_spellings(
                symbols, [sample["begins"] for sample in samples], self.dictionary.pad()
            ),
            "target": torch.tensor([sample["row"] for sample in samples]),
            "ntokens": sum(map(len, symbols)),
        }
