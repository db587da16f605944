"""The UTF-8 automaton: which byte may follow, as tables to index with tensors.

Source: RFC 3629, section 4. Its syntax leaves out overlong forms, surrogates and all
above U+10FFFF by restricting the byte after ``E0``, ``ED``, ``F0`` and ``F4``.
"""

import torch

from .byte_dictionary import NUM_BYTES

# State: between characters, or inside one whose next byte must be in a range.
BOUNDARY = 0
_INSIDE = {  # state: (first and last next byte, the state after it)
    1: (0x80, 0xBF, BOUNDARY),
    2: (0x80, 0xBF, 1),
    3: (0x80, 0xBF, 2),
    4: (0xA0, 0xBF, 1),  # after E0: not overlong
    5: (0x80, 0x9F, 1),  # after ED: no surrogate
    6: (0x90, 0xBF, 2),  # after F0: not overlong
    7: (0x80, 0x8F, 2),  # after F4: not above U+10FFFF
}
_FIRST = [  # first and last byte, the state after it
    (0x00, 0x7F, BOUNDARY),
    (0xC2, 0xDF, 1),
    (0xE0, 0xE0, 4),
    (0xE1, 0xEC, 2),
    (0xED, 0xED, 5),
    (0xEE, 0xEF, 2),
    (0xF0, 0xF0, 6),
    (0xF1, 0xF3, 3),
    (0xF4, 0xF4, 7),
]
NUM_STATES = 1 + len(_INSIDE)
#: how many bytes each state still wants until the character is whole
BYTES_TO_BOUNDARY = (0, 1, 2, 3, 2, 2, 3, 3)
LONGEST_CHARACTER = 4


def utf8_tables():
    """The automaton over bytes.

    Returns:
        tuple: ``allowed`` Bool[8, 256], whether a byte may follow in a state, and
        ``after`` Long[8, 256], the state after it. After a byte that may not follow
        the automaton starts anew, with that byte: broken text harms no more than
        the character it is in.
    """
    allowed = torch.zeros(NUM_STATES, NUM_BYTES, dtype=torch.bool)
    after = torch.zeros(NUM_STATES, NUM_BYTES, dtype=torch.long)
    for first, last, state in _FIRST:
        allowed[BOUNDARY, first : last + 1] = True
        after[:, first : last + 1] = state
    for state, (first, last, following) in _INSIDE.items():
        allowed[state, first : last + 1] = True
        after[state, first : last + 1] = following
    return allowed, after


class Utf8Automaton:
    """The automaton over the symbols of a dictionary, for a batch of prefixes.

    Args:
        dictionary (ByteDictionary): V symbols. A newline is never allowed, a special
            symbol neither, but ``</s>`` at a character boundary.
        device (torch.device, optional)
    """

    def __init__(self, dictionary, device=None):
        bytes_allowed, bytes_after = utf8_tables()
        start = dictionary.byte_offset
        stop = start + NUM_BYTES
        allowed = torch.zeros(NUM_STATES, len(dictionary), dtype=torch.bool)
        allowed[:, start:stop] = bytes_allowed
        allowed[:, start + ord("\n")] = False
        after = torch.zeros(NUM_STATES, len(dictionary), dtype=torch.long)
        after[:, start:stop] = bytes_after
        self._after = after.flatten()
        self._num_symbols = len(dictionary)
        self._mask = _with_room(allowed, after, dictionary.eos()).flatten(0, 1)
        if device is not None:
            self.to(device)

    def to(self, device):
        """Move the tables to ``device``; returns self."""
        self._after, self._mask = self._after.to(device), self._mask.to(device)
        return self

    def state(self, tokens):
        """State after each prefix.

        The first byte of a character alone decides the state behind it, and a
        character has at most three more: the last three symbols are enough.

        Args:
            tokens (Long[N, T]): special symbols count as boundaries.

        Returns:
            Long[N]
        """
        state = tokens.new_zeros(tokens.shape[0])
        for column in tokens[:, -(LONGEST_CHARACTER - 1) :].unbind(1):
            state = self.follow(state, column)
        return state

    def follow(self, state, symbols):
        """Long[N]: the state behind ``symbols`` (Long[N]), from ``state`` (Long[N])."""
        return self._after.index_select(0, state * self._num_symbols + symbols)

    def mask(self, state, room=None):
        """What to add to the log-probabilities of the next symbol.

        Args:
            state (Long[N])
            room (Long[N], optional): symbols that may still follow before ``</s>``: a
                character is begun only where it fits. With a room of 0 there is only
                ``</s>``; by default any character fits.

        Returns:
            Float[N, V]: 0 for what may follow, else -inf. Where a character that was
            begun does not fit (only a forced prefix does that), its bytes may follow.
        """
        room = LONGEST_CHARACTER if room is None else room.clamp(0, LONGEST_CHARACTER)
        return self._mask.index_select(0, room * NUM_STATES + state)


def _with_room(allowed, after, eos):
    """Masks Float[5, 8, V] for a room of 0, 1, 2, 3 and at least 4 symbols."""
    wanted = 1 + torch.tensor(BYTES_TO_BOUNDARY)[after[BOUNDARY]]
    masks = torch.full((LONGEST_CHARACTER + 1, *allowed.shape), float("-inf"))
    for room in range(1, LONGEST_CHARACTER + 1):
        masks[room][allowed] = 0.0
        masks[room, BOUNDARY, wanted > room] = float("-inf")
        masks[room, BOUNDARY, eos] = 0.0
    masks[0, :, eos] = 0.0
    return masks
