"""Lists of kernel sizes, as flags give them."""


def parse_sizes(text):
    """``"0,1,3"`` to ``[0, 1, 3]``.

    Raises:
        ValueError: what stands between two commas is no whole number.
    """
    return [_whole(part) for part in text.split(",")]


def _whole(part):
    try:
        return int(part)
    except ValueError:
        raise ValueError(f"{part!r} is no whole number") from None
