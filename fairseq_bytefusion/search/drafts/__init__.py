"""What foresees the next symbols of a translation: drafts, which a model then checks.

A draft is right or thrown away: it changes how soon a translation is there, never the
translation. All of them have ``propose(states, tokens, lengths, k) -> Long[B, k]``: k
symbols (int) behind the first ``lengths`` (Long[B]) of ``tokens`` (Long[B, T]), the last
of which the model has read with states Float[B, D]; ``</s>`` may be among them.
"""

from .ngram import NgramDraft

#: name of ``--draft`` -> what foresees
DRAFTS = {"ngram": NgramDraft}
#: those that read ``--draft-file``
NEED_FILE = ("ngram",)

__all__ = ["DRAFTS", "NEED_FILE", "NgramDraft"]
