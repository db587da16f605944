"""The spelling of each row of a table, misspelt now and then, as a fairseq dataset."""

import functools
import logging
import zlib

import numpy as np
import torch
from fairseq.data import FairseqDataset, data_utils

from ...text.noise.misspell import LONGEST_KEPT, misspell_entry
from ...text.pieces import collate_spellings, symbols_of
from ...text.text_dictionary import encode_utf8
from ..batches import pack_batches

logger = logging.getLogger(__name__)


class PieceDataset(FairseqDataset):
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

    #: seed of the order of an epoch, together with its number
    order_seed = 1

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
        super().__init__()
        self.pieces = pieces
        self.dictionary = dictionary
        self.max_chars = max_chars
        self.noise_prob, self.seed, self.epoch = noise_prob, seed, 1
        self.shuffle = shuffle
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

    @property
    def can_reuse_epoch_itr_across_epochs(self):
        """False: a worker process that lives on would keep the noise of its epoch."""
        return False

    @functools.cached_property
    def digest(self):
        """str: of what decides, besides the options of a batch, which pieces are in it."""
        return f"{zlib.crc32(self.sizes.astype(np.int32)):08x}"

    def set_epoch(self, epoch):
        """Let the noise be that of ``epoch``."""
        self.epoch = epoch

    def __len__(self):
        return len(self.rows)

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

    def num_tokens(self, index):
        return self.sizes[index]

    def size(self, index):
        return self.sizes[index]

    def ordered_indices(self):
        """int64[N]: at random where ``shuffle``, in another order every epoch."""
        if self.shuffle:
            # fairseq 0.12.2 seeds numpy by the seed alone, later ones by the epoch too.
            with data_utils.numpy_seed(self.order_seed + self.epoch):
                return np.random.permutation(len(self))
        return np.arange(len(self))

    def batch_by_size(self, indices, *args, **kwargs):
        """As in fairseq, but PackedBatches."""
        split = functools.partial(super().batch_by_size, **kwargs)
        return pack_batches(indices, lambda part: split(part, *args))
