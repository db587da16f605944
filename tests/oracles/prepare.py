"""What data_prep/prepare.py does to plain pairs, one line at a time."""


def clean(pairs, max_bytes=800, max_ratio=9.0, excluded=(), held_out=()):
    """Clean and deduplicate.

    Args:
        pairs (list of (bytes, bytes)): lines without their ``\\n``.
        excluded, held_out (collection of bytes)

    Returns:
        tuple: the kept pairs, and a dict with the number dropped for each reason.
    """
    kept, dropped = [], {}
    for pair in pairs:
        pair = tuple(map(strip, pair))
        reason = _reason(pair, max_bytes, max_ratio, excluded, held_out)
        if reason is None and pair in kept:
            reason = "duplicate"
        if reason is None:
            kept.append(pair)
        else:
            dropped[reason] = dropped.get(reason, 0) + 1
    return kept, dropped


def strip(line):
    """``line`` (bytes) without byte-order marks before and ``\\r`` behind."""
    while line.startswith(b"\xef\xbb\xbf"):
        line = line[3:]
    return line.rstrip(b"\r")


def _reason(pair, max_bytes, max_ratio, excluded, held_out):
    try:
        texts = [side.decode() for side in pair]
    except UnicodeDecodeError:
        return "not_utf8"
    if not all(text.strip() for text in texts):
        return "empty"
    short, long = sorted(map(len, pair))
    if long > max_bytes:
        return "too_long"
    if long > max_ratio * short:
        return "ratio"
    if any(side in excluded for side in pair):
        return "excluded"
    if any(side in held_out for side in pair):
        return "held_out"
    return None
