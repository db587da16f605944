"""What foresees the next symbols of a translation: drafts, which a model then checks.

A draft is right or thrown away: it changes how soon a translation is there, never the
translation. All of them have a classmethod ``build(options, dictionary, models)`` and
``propose(states, tokens, lengths, k) -> Long[B, k]``: k symbols (int), or fewer, behind
the first ``lengths`` (Long[B]) of ``tokens`` (Long[B, T]). ``states`` (Float[B, D]) are
those that the last of these was chosen by, None at the beginning. ``</s>`` may be among
what is foreseen.
"""

from .both import BothDraft
from .heads import HeadsDraft
from .ngram import NgramDraft

#: name of ``--draft`` -> what foresees
DRAFTS = {"ngram": NgramDraft, "heads": HeadsDraft, "both": BothDraft}
#: those that read ``--draft-file``
NEED_FILE = ("ngram", "both")

__all__ = ["DRAFTS", "NEED_FILE", "BothDraft", "HeadsDraft", "NgramDraft"]
