"""fairseq's iterator over epochs in little memory; a stopped epoch goes on where it was."""

import logging

import numpy as np
from fairseq.data.iterators import EpochBatchIterator

logger = logging.getLogger(__name__)

_FLAGS = {
    "max_tokens": "--max-tokens",
    "max_sentences": "--batch-size",
    "max_positions": "the most positions",
    "required_batch_size_multiple": "--required-batch-size-multiple",
    "seed": "--seed",
    "num_shards": "--distributed-world-size",
    "grouped_shuffling": "--grouped-shuffling",
    "shuffle": "--curriculum",
}


class PackedBatchIterator(EpochBatchIterator):
    """fairseq's iterator over :class:`~.batches.PackedBatches`, in the same order.

    A shuffled epoch costs 8 bytes a batch. To be had from an EpochBatchIterator, newly made
    with PackedBatches, by setting its ``__class__``: it has the same attributes. With
    :meth:`remember` it says in a checkpoint how its batches were made: a stopped epoch goes
    on with the samples that it has not had, whatever the batches are now.

    Raises:
        ValueError: no shard has the number that was given.
    """

    _batching, _make_batches = None, None
    #: ``(epoch, parts)``: how an epoch that was resumed with other batches went before
    _earlier = (None, ())

    def remember(self, batching, make_batches):
        """Keep what a stopped epoch needs.

        Args:
            batching (dict): what the batches depend on besides the data, by the names of
                ``FairseqTask.get_batch_iterator``.
            make_batches (callable): such a dict and int[N] of the samples that are left,
                or None for a whole epoch, to PackedBatches.
        """
        self._batching, self._make_batches = batching, make_batches

    @property
    def frozen_batches(self):
        """PackedBatches: all of them, before they are shuffled and shared out."""
        if self._frozen_batches is None:
            self._frozen_batches = self.batch_sampler(self.dataset, self.epoch)
        return self._frozen_batches

    def ordered_batches(self, epoch, fix_batches_to_gpus, shuffle):
        """PackedBatches: this worker's share of an epoch; see fairseq for the arguments."""
        if not 0 <= self.shard_id < self.num_shards:
            raise ValueError(
                f"no shard {self.shard_id}: there are {self.num_shards}, from 0 on "
                "(--distributed-rank, --distributed-world-size)"
            )
        order = epoch_order(
            len(self.frozen_batches),
            self.seed + epoch if shuffle else None,
            self.num_shards,
            self.grouped_shuffling,
        )
        return self.frozen_batches.reordered(order[self.shard_id :: self.num_shards])

    def state_dict(self):
        """As in fairseq; within an epoch also ``parts``, ``[batching, batches]`` for each
        way in which its batches were made, and ``digest`` of the data."""
        state = super().state_dict()
        if self._batching and state["iterations_in_epoch"]:
            epoch, earlier = self._earlier
            parts = list(earlier) if epoch == state["epoch"] else []
            count = state["iterations_in_epoch"] - sum(count for _, count in parts)
            parts.append([{**self._batching, "shuffle": bool(self.shuffle)}, count])
            state.update(parts=parts, digest=self.dataset.digest)
        return state

    def load_state_dict(self, state):
        """Go on where a checkpoint was.

        Raises:
            ValueError: the checkpoint is older than :meth:`state_dict`, and there are
                fewer batches now than it had passed.
        """
        if not (self._batching and state.get("iterations_in_epoch")):
            super().load_state_dict(state)
        elif "parts" not in state:
            self._go_on_by_number(state)
        elif state["digest"] != self.dataset.digest:
            self.epoch, self._next_epoch_itr = state["epoch"], None
            logger.warning(
                "the training data are not those of the checkpoint: epoch %d begins again, "
                "so that what it had passed, %d batches, is seen twice if still there",
                *(self.epoch, state["iterations_in_epoch"]),
            )
        else:
            self._go_on(state)

    def _go_on_by_number(self, state):
        passed, epoch = state["iterations_in_epoch"], state["epoch"]
        remedy = (
            "give --max-tokens, --batch-size and the number of workers of then, or "
            "--reset-dataloader to begin with epoch 1 again"
        )
        if passed >= len(self):
            raise ValueError(
                f"the checkpoint was written after batch {passed} of epoch {epoch}, which "
                f"has {len(self)} batches now: {remedy}"
            )
        logger.warning(
            "the checkpoint does not say how its batches were made, so that epoch %d goes "
            "on after batch %d; if batches were others then, some sentences come twice in "
            "it and some not at all: %s",
            *(epoch, passed, remedy),
        )
        super().load_state_dict(state)

    def _go_on(self, state):
        parts, shuffle = [tuple(part) for part in state["parts"]], state["shuffle"]
        now, offset = {**self._batching, "shuffle": shuffle}, 0
        before, passed = parts[-1]
        if before == now:
            *parts, (_, offset) = parts
        self.epoch, rest = state["epoch"], None
        for batching, count in parts:
            rest = _left(self._make_batches(batching, rest), self.epoch, batching, count)
        batches = self._make_batches(now, rest)
        if before != now:
            _say_what_changed(self.epoch, before, now, len(batches.indices), self.dataset)
        if not len(batches):  # what is left is too long now
            self.epoch, self._next_epoch_itr = self.epoch + 1, None
            return
        self._earlier = (self.epoch, [list(part) for part in parts])
        whole, self._frozen_batches = self.frozen_batches, batches
        itr = self._get_iterator_for_epoch(self.epoch, shuffle, offset=offset)
        self._frozen_batches, self._next_epoch_itr = whole, itr
        done = sum(count for _, count in parts)
        itr.n, itr.total = itr.n + done, itr.total + done


def epoch_order(count, seed, num_shards, grouped):
    """How the batches of an epoch follow each other.

    Args:
        count (int): of batches.
        seed (int, optional): None leaves them in order.
        num_shards (int): workers, which take turns.
        grouped (bool): ``--grouped-shuffling``.

    Returns:
        int64[B]: numbers of batches, a multiple of ``num_shards``; -1 is an empty one.
    """
    order = np.arange(count)
    if seed is not None:
        random = np.random.RandomState(seed)
        if grouped:
            whole = count // num_shards * num_shards
            order = order[:whole].reshape(-1, num_shards)
        random.shuffle(order)
        order = order.reshape(-1)
    return np.pad(order, (0, -len(order) % num_shards), constant_values=-1)


def _left(batches, epoch, batching, count):
    """int[N]: what an epoch still has to see when each worker had ``count`` batches."""
    shards = batching["num_shards"]
    seed = batching["seed"] + epoch if batching["shuffle"] else None
    order = epoch_order(len(batches), seed, shards, batching["grouped_shuffling"])
    is_seen = np.zeros(len(batches), bool)
    passed = order[: count * shards]
    is_seen[passed[passed >= 0]] = True
    return batches.indices[~np.repeat(is_seen, np.diff(batches.ends, prepend=0))]


def _say_what_changed(epoch, before, now, left, dataset):
    changes = [
        f"{_FLAGS[name]} was {before[name]}, is {now[name]}"
        for name in now
        if before.get(name) != now[name]
        # fairseq lowers the limits of length to --max-tokens.
        and not (name == "max_positions" and before["max_tokens"] != now["max_tokens"])
    ]
    logger.info(
        "epoch %d was begun with other batches (%s): it goes on with the %d of %d "
        "sentences that it has not seen",
        *(epoch, "; ".join(changes), left, len(dataset)),
    )
