"""Pairs of sentences of one or several language pairs as a fairseq dataset."""

import torch

from ..sided_dataset import SidedDataset


class ParallelDataset(SidedDataset):
    """Sources and targets, or sources alone that are to be translated.

    A batch has the name of its language pair under ``pair``; see :class:`SidedDataset` for
    when, and for the other arguments. With tags of targets it has them, Long[B], under
    ``target_tag``, and the decoder reads them where it otherwise reads its first ``</s>``.

    Args:
        begins (list of int): the tag of each part's target; empty without tags.
    """

    noun, empty_noun = "pair", "an empty side"
    part_key = "pair"

    def __init__(self, sides, parts, begins=(), **options):
        super().__init__(sides, parts, **options)
        self._begins = torch.tensor(begins, dtype=torch.long)

    def collater(self, samples, pad_to_length=None):
        """As in fairseq, and what the decoder begins with."""
        batch = super().collater(samples, pad_to_length)
        if batch and len(self._begins):
            numbers = torch.from_numpy(self._part_numbers(batch["id"].numpy()))
            tags = batch["target_tag"] = self._begins[numbers]
            previous = batch["net_input"].get("prev_output_tokens")
            if previous is not None:
                # The target may be padded on the left.
                first = previous.ne(self.tgt_dict.pad()).long().argmax(1, keepdim=True)
                previous.scatter_(1, first, tags[:, None])
        return batch
