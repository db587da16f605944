"""How many symbols to draft."""

#: in place of a number
AUTO = "auto"
LONGEST = 16
_FIRST = (5, 2, 8)  # lengths that teach what a call costs
_MEMORY = 0.95  # weight of what was seen before, a call later


class DraftLength:
    """Always the same length.

    Args:
        length (int): k.
    """

    def __init__(self, length):
        self.length = length

    def next(self, num_rows):
        """int: for a batch of so many rows."""
        return self.length

    def note(self, agreed, length, num_rows, seconds):
        """Take note of a call.

        Args:
            agreed (Long[B]): how many drafted symbols of each row agreed.
            length (int): of ``length``.
            num_rows (int): of the batch, those that are done included.
            seconds (float): that it took.
        """


class AutoDraftLength(DraftLength):
    """The length that has promised the most symbols a second lately.

    With probability p that a drafted symbol agrees where those before it did, a draft of k
    writes (1 - p^(k + 1)) / (1 - p) symbols a call; a call on N symbols takes a + b N
    seconds. p, a and b are those of the calls so far, the latest counting most. What is
    written does not depend on them.

    Source: Leviathan et al. 2023, section 3.3, for the number of symbols.
    """

    def __init__(self):
        super().__init__(_FIRST[0])
        self._agreed, self._tried, self._calls = 1.0, 2.0, 0
        # Sums of 1, N, N², seconds and N x seconds, of which a line follows.
        self._sums = [0.0] * 5

    def next(self, num_rows):
        if self._calls < 2 * len(_FIRST):
            return _FIRST[self._calls % len(_FIRST)]
        rate, (call, symbol) = self._agreed / self._tried, self._cost()

        def speed(k):
            written = sum(rate**i for i in range(k + 1))
            return written / (call + symbol * num_rows * (k + 1))

        return max(range(LONGEST + 1), key=speed)

    def note(self, agreed, length, num_rows, seconds):
        self._calls += 1
        if length and len(agreed):
            self._agreed = _MEMORY * self._agreed + float(agreed.sum()) / len(agreed)
            tried = float((agreed + 1).clamp(max=length).sum())
            self._tried = _MEMORY * self._tried + tried / len(agreed)
        size = num_rows * (length + 1)
        new = (1.0, size, size * size, seconds, size * seconds)
        self._sums = [_MEMORY * old + value for old, value in zip(self._sums, new)]

    def _cost(self):
        """Seconds a call, and a symbol of it, at least a thousandth of the former."""
        count, sizes, squares, seconds, products = self._sums
        spread = count * squares - sizes * sizes
        slope = (count * products - sizes * seconds) / spread if spread > 0 else 0.0
        call = max((seconds - slope * sizes) / count, seconds / count / 100)
        return call, max(slope, call / 1000)


def parse_draft_length(text):
    """The DraftLength that ``--draft-length`` (str or int) says.

    Raises:
        ValueError: no number from 1 on, nor ``auto``.
    """
    if text == AUTO:
        return AutoDraftLength()
    if not str(text).isdecimal() or int(text) < 1:
        raise ValueError(
            f"--draft-length {text} must be a number of symbols from 1 on, or {AUTO}"
        )
    return DraftLength(int(text))
