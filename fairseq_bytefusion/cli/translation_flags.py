"""How ``bytefusion translate`` searches: flags, and what they are to ByteTranslator."""

import re

from ..search.drafts import DRAFTS
from .arguments import positive

#: flags of the search, as arguments of ``ByteTranslator.translate``
SEARCH = (
    *("beam", "nbest", "lenpen", "sampling", "sampling_topp", "temperature", "seed"),
    *("max_len_a", "max_len_b", "split_long", "draft", "draft_file", "draft_length"),
)


def add_search_flags(parser):
    """Add them to ``parser``; what is not given is None."""
    group = parser.add_argument_group("search")
    group.add_argument(
        "--beam",
        type=positive,
        metavar="N",
        help="hypotheses kept (5), or translations drawn (those of --nbest)",
    )
    group.add_argument(
        "--nbest",
        type=positive,
        metavar="N",
        help="translations shown, N lines an input, the best first (1)",
    )
    group.add_argument(
        "--lenpen",
        type=float,
        metavar="X",
        help="above 1 favours long translations, below 1 short ones (1)",
    )
    group.add_argument(
        "--sampling",
        action="store_const",
        const=True,
        help="draw symbols by their probabilities instead of searching for the best",
    )
    group.add_argument(
        "--sampling-topp",
        type=float,
        metavar="P",
        help="draw from the fewest symbols that have this probability together",
    )
    group.add_argument(
        "--temperature",
        type=float,
        metavar="X",
        help="divide logits by it: below 1 likely symbols become likelier (1)",
    )
    group.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="of --sampling: the same input gives the same draws (another one each time)",
    )
    group.add_argument(
        "--max-len-a",
        type=float,
        metavar="A",
        help="a translation has at most A times the symbols of its source, plus B (3)",
    )
    group.add_argument("--max-len-b", type=int, metavar="B", help="see there (200)")
    group.add_argument(
        "--split-long",
        action="store_const",
        const=True,
        help="translate lines that are too long in parts, cut at ends of sentences, else "
        "at white space, else between characters",
    )
    group.add_argument(
        "--draft",
        choices=("none", *DRAFTS),
        help="with --beam 1: check several symbols in one call of the model; the same "
        "translations sooner",
    )
    group.add_argument(
        "--draft-file",
        metavar="FILE",
        help="what bytefusion draft wrote, for --draft ngram and both",
    )
    group.add_argument(
        "--draft-length",
        metavar="N",
        help="how many symbols are drafted, or auto: as many as have paid (auto)",
    )


def given_search(args):
    """dict: the flags of the search among ``args`` that were given."""
    values = {name: getattr(args, name) for name in SEARCH}
    return {name: value for name, value in values.items() if value is not None}


def search_arguments(args):
    """dict: arguments of ``ByteTranslator.translate``."""
    found = {"nbest": 1, **given_search(args)}
    found.setdefault("beam", found["nbest"] if args.sampling else 5)
    return found


def with_flags(message):
    """``message`` (str) with the flags of the search in place of the arguments."""
    names = "|".join(SEARCH)
    return re.sub(rf"\b({names})\b", lambda name: "--" + name[0].replace("_", "-"), message)
