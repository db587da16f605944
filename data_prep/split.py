"""Valid and test sets drawn from the training pairs, by seed and content."""

from dataclasses import dataclass

import numpy as np

from data_prep.line_hash import (
    contains,
    find_lines,
    hash_lines,
    hash_pairs,
    priorities,
    select_lines,
)


class Selection:
    """The pairs that a seed ranks first, whatever their order in the files.

    Memory is bounded by the number of pairs asked for.

    Args:
        num_valid, num_test (int): pairs wanted.
        seed (int)
    """

    def __init__(self, num_valid, num_test, seed):
        self._wanted = {"test": num_test, "valid": num_valid}
        self._seed = seed
        # Spare candidates: some are passed over for a side that occurs before.
        self._limit = 2 * (num_valid + num_test) + 100
        self._columns = np.empty((4, 0), np.uint64)  # priority, pair, source, target

    def offer(self, block):
        """Consider the pairs of ``block`` (CleanBlock)."""
        priority = priorities(block.pair_hashes, self._seed)
        new = np.stack([priority, block.pair_hashes, *block.side_hashes])
        if self._columns.shape[1] == self._limit:
            new = new[:, priority < self._columns[0, -1]]
        columns = np.concatenate([self._columns, new], axis=1)
        order = np.argsort(columns[0], kind="stable")[: self._limit]
        self._columns = columns[:, order]

    def choose(self):
        """Draw the sets; no sentence of either side occurs in two of their pairs.

        Returns:
            Router

        Raises:
            ValueError: there are too few pairs.
        """
        rows = iter(self._columns[1:].T.tolist())
        seen, chosen = set(), {name: [] for name in self._wanted}
        for name, wanted in self._wanted.items():
            while len(chosen[name]) < wanted:
                row = next(rows, None)
                if row is None:
                    raise ValueError(self._too_few())
                pair, *sides = row
                if seen.isdisjoint(sides):
                    seen.update(sides)
                    chosen[name].append(pair)
        return Router(
            {name: np.sort(np.array(pairs, np.uint64)) for name, pairs in chosen.items()},
            np.sort(np.array(list(seen), np.uint64)),
        )

    def _too_few(self):
        return (
            f"too few distinct pairs for a test set of {self._wanted['test']} and a valid "
            f"set of {self._wanted['valid']}: lower --num-test and --num-valid, or give "
            "more text"
        )


@dataclass
class Routed:
    """What a block gives to each split: ``parts[name]`` = (source, target, pairs), the
    sides as bytes; ``held_out`` pairs share a sentence with valid or test."""

    parts: dict
    held_out: int


class Router:
    """PairBlock -> Routed: which pairs go where.

    Args:
        chosen (dict): split -> sorted uint64[N] hashes of its pairs.
        sides (uint64[M]): sorted hashes of the sentences in them.
    """

    def __init__(self, chosen, sides):
        self.chosen, self._sides = chosen, sides

    def __call__(self, block):
        source, target = find_lines(block.source), find_lines(block.target)
        hashes = hash_lines(source), hash_lines(target)
        pairs = hash_pairs(*hashes)
        masks = {name: contains(members, pairs) for name, members in self.chosen.items()}
        leaks = contains(self._sides, hashes[0]) | contains(self._sides, hashes[1])
        masks["train"] = ~leaks
        parts = {
            name: (select_lines(source, mask), select_lines(target, mask), int(mask.sum()))
            for name, mask in masks.items()
        }
        taken = sum(count for _, _, count in parts.values())
        return Routed(parts, len(pairs) - taken)
