"""Which symbol greedy search writes, at several places of every row at once."""

import torch

from ..text.utf8 import LONGEST_CHARACTER


class GreedyRules:
    """fairseq's rules of a search with a beam of one, and those of valid UTF-8.

    A *step* is the number of symbols that a row has before, its first one not counted.

    Args:
        dictionary (TextDictionary): of V symbols.
        max_len (int): at this step only ``</s>`` may follow.
        min_len (int): before this step it may not.
        unk_penalty (float): taken from the log-probability of ``<unk>``.
        prefix (Long[B, P], optional): symbols that are forced; padding is not.
    """

    def __init__(self, dictionary, max_len, min_len=1, unk_penalty=0.0, prefix=None):
        self.pad, self.eos, self.unk = dictionary.pad(), dictionary.eos(), dictionary.unk()
        self._never = [self.pad, *dictionary.tags.values()]
        self.max_len, self.min_len, self.unk_penalty = max_len, min_len, unk_penalty
        self._prefix, self._automaton, self._limits = prefix, None, None

    def keep_to_utf8(self, automaton, limits):
        """Allow valid UTF-8 only.

        Args:
            automaton (Utf8Automaton)
            limits (Long[B]): the most symbols of each row.
        """
        self._automaton, self._limits = automaton, limits

    def choose(self, log_probs, tokens, draft, before):
        """What greedy search writes behind each row and behind each symbol of its draft.

        Args:
            log_probs (Float[B, k + 1, V]): of the model; changed in place.
            tokens (Long[B, T]): the rows; padding behind what is written.
            draft (Long[B, k])
            before (Long[B]): their steps.

        Returns:
            tuple: symbols Long[B, k + 1] and their log-probabilities Float[B, k + 1].
        """
        steps = before[:, None] + torch.arange(log_probs.shape[1], device=before.device)
        log_probs[..., self._never] = float("-inf")
        log_probs[..., self.unk] -= self.unk_penalty
        at_end = (steps >= self.max_len)[..., None]
        ends = log_probs[..., self.eos].clone()
        log_probs.masked_fill_(at_end, float("-inf"))
        log_probs[..., self.eos] = ends
        forced, is_forced, has_prefix = self._forced(steps)
        too_soon = (steps < self.min_len) & ~has_prefix
        log_probs[..., self.eos].masked_fill_(too_soon, float("-inf"))
        of_forced = log_probs.gather(2, forced[..., None])[..., 0]
        if self._automaton is not None:
            log_probs += self._utf8_mask(tokens, draft, before, steps)
        best, choice = log_probs.max(2)
        choice = torch.where(is_forced, forced, choice)
        return choice, torch.where(is_forced, of_forced, best)

    def with_forced(self, draft, before):
        """A draft (Long[B, k]) with the symbols that are forced in their places."""
        steps = before[:, None] + torch.arange(draft.shape[1], device=draft.device)
        forced, is_forced, _ = self._forced(steps)
        return torch.where(is_forced, forced, draft)

    def select(self, rows):
        """Row i becomes what ``rows[i]`` was (Long[B'])."""
        if self._prefix is not None:
            self._prefix = self._prefix[rows]
        if self._limits is not None:
            self._limits = self._limits[rows]

    def _forced(self, steps):
        """Of steps Long[B, g]: symbols Long[B, g], whether each is forced, and whether the
        step is one of a prefix, be it of another row (Bool[B, g])."""
        if self._prefix is None:
            nothing = torch.zeros_like(steps, dtype=torch.bool)
            return torch.zeros_like(steps), nothing, nothing
        length = self._prefix.shape[1]
        has_prefix = (steps < length) & (steps < self.max_len)
        forced = self._prefix.gather(1, steps.clamp(max=length - 1))
        return forced, has_prefix & forced.ne(self.pad), has_prefix

    def _utf8_mask(self, tokens, draft, before, steps):
        """Float[B, k + 1, V]: 0 for what may follow, else -inf."""
        reach = LONGEST_CHARACTER - 1
        back = torch.arange(1 - reach, 1, device=before.device)
        # Before the first symbol there is itself, which is as good as any boundary.
        recent = tokens.gather(1, (before[:, None] + back).clamp(min=0))
        windows = torch.cat([recent, draft], 1).unfold(1, reach, 1)
        state = self._automaton.state(windows.flatten(0, 1))
        room = (self._limits[:, None] - steps).flatten()
        return self._automaton.mask(state, room).view(*steps.shape, -1)
