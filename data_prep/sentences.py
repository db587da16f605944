"""Lines of files in the form in which SentencePiece drops none of them."""

import logging

from data_prep.blocks import Stream, line_blocks

logger = logging.getLogger(__name__)

MAX_BYTES = 4192  # its default; longer lines are left out without a word
RESERVED = "\u2585"  # lines that hold its sign for <unk> are left out as well


def sentences_of(paths):
    """The lines of files, cut where SentencePiece would drop them; how many is logged.

    Args:
        paths (list of str)

    Yields:
        str or bytes: of at most ``MAX_BYTES`` bytes; what is not UTF-8 is U+FFFD.
    """
    for path in paths:
        num_long = num_reserved = 0
        with Stream(path) as stream:
            for block in line_blocks(stream):
                for line in block.decode("utf-8", "replace").split("\n")[:-1]:
                    if 4 * len(line) <= MAX_BYTES and RESERVED not in line:
                        yield line
                        continue
                    raw = line.encode()
                    num_long += len(raw) > MAX_BYTES
                    num_reserved += RESERVED in line
                    for part in raw.split(RESERVED.encode()):
                        yield from _cut(part)
        if num_long:
            logger.warning(
                "%s: SentencePiece reads %d lines of more than %d bytes in parts",
                *(path, num_long, MAX_BYTES),
            )
        if num_reserved:
            logger.warning(
                "%s: %d lines hold U+2585, which SentencePiece cannot learn; it reads what "
                "is around it",
                *(path, num_reserved),
            )


def _cut(raw):
    """Parts of a line (bytes), between words where it has spaces, else characters."""
    while len(raw) > MAX_BYTES:
        end = start = raw.rfind(b" ", 1, MAX_BYTES + 1)
        if end < 0:
            end = start = _character_start(raw, MAX_BYTES)
        else:
            start += 1  # SentencePiece puts a space before each part
        yield raw[:end]
        raw = raw[start:]
    yield raw


def _character_start(raw, place):
    while raw[place] & 0xC0 == 0x80:
        place -= 1
    return place
