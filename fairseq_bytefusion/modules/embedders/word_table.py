"""Known words and their rows: of a table of a mixture, or alone, or of an output."""

import torch
import torch.nn as nn

from ...text.word_list import OTHER_WORDS, fingerprint


class HashedWords:
    """For modules, before ``nn.Module``: known words, found by their hashes.

    The hashes come from the list of words; among the parameters is but a fingerprint of
    them: rows and words cannot come apart unnoticed.
    """

    def remember(self, hashes):
        """Called once the module is made, with its words.

        Args:
            hashes (Long[K]): of the words, in the order of the rows, all different.
        """
        self.register_buffer("fingerprint", fingerprint(hashes))
        hashes, rows = hashes.sort()
        self.register_buffer("hashes", hashes, persistent=False)
        self.register_buffer("rows", rows, persistent=False)

    def lookup(self, hashes):
        """
        Args:
            hashes (Long[U])

        Returns:
            tuple: Long[U] rows, 0 for unknown words, and Bool[U], True at known ones.
        """
        place = torch.searchsorted(self.hashes, hashes).clamp(max=len(self.hashes) - 1)
        known = self.hashes[place].eq(hashes)
        return self.rows[place] * known, known

    def _load_from_state_dict(self, state_dict, prefix, *args):
        own = self.fingerprint
        if not torch.equal(state_dict.get(prefix + "fingerprint", own).to(own), own):
            raise ValueError(OTHER_WORDS)
        super()._load_from_state_dict(state_dict, prefix, *args)


def require_words(hashes):
    """Raise ValueError where ``hashes`` (Long[K]) are none, or two are the same."""
    if not len(hashes) or len(hashes.unique()) < len(hashes):
        raise ValueError("a word table needs words, each of them once")


class WordTable(HashedWords, nn.Embedding):
    """A learned row for each known word, found by the word's hash.

    Args:
        hashes (Long[K]): of the words, in the order of the rows, all different.
        embedding_dim (int): D.

    Raises:
        ValueError: no word, or two of the same hash.
    """

    def __init__(self, hashes, embedding_dim):
        require_words(hashes)
        super().__init__(len(hashes), embedding_dim)
        self.remember(hashes)
