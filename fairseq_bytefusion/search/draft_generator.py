"""fairseq's sequence generators with a beam of one, which check drafts."""

import torch
from fairseq.sequence_generator import SequenceGenerator

from .draft_length import AUTO, parse_draft_length
from .draft_search import DraftSearch
from .drafts import DRAFTS, NEED_FILE
from .greedy_rules import GreedyRules
from .utf8_generator import Utf8SequenceGenerator

#: generation options that choose or need other symbols than greedy search -> what they do
_REFUSED = {
    "sampling": "samples",
    "diverse_beam_groups": "fills a beam with groups",
    "diversity_rate": "fills a beam with siblings",
    "match_source_len": "asks for the length of the source",
    "constraints": "fills a beam with given phrases",
    "no_repeat_ngram_size": "forbids what was written before",
    "print_alignment": "shows attention",
    "lm_path": "adds a language model",
}


class _Drafting:
    """Mixin for :class:`fairseq.sequence_generator.SequenceGenerator`.

    Args:
        draft: what foresees, see :mod:`.drafts`.
        draft_length (DraftLength): how many symbols at a time.
    """

    #: of the last batch, see DraftSearch
    calls = row_calls = symbols = 0

    def __init__(self, *args, draft, draft_length, **kwargs):
        super().__init__(*args, **kwargs)
        self._draft, self._draft_length = draft, draft_length

    def _generate(self, sample, prefix_tokens=None, constraints=None, bos_token=None):
        source = sample["net_input"]["src_tokens"]
        longest = int(self.max_len_a * source.shape[1] + self.max_len_b)
        max_len = min(longest, self.max_len - 1)
        search = DraftSearch(
            list(self.model.models),
            self.model.forward_encoder(sample["net_input"]),
            self._rules(max_len, prefix_tokens),
            self._draft,
            self._draft_length,
            begin=self.eos if bos_token is None else bos_token,
            limit=max_len + 1,
            temperature=self.temperature,
        )
        rows = zip(*search.run())
        self.calls, self.symbols = search.calls, search.symbols
        self.row_calls = search.row_calls
        return [[self._hypothesis(*row)] for row in rows]

    def _rules(self, max_len, prefix_tokens):
        return GreedyRules(
            self.tgt_dict, max_len, self.min_len, self.unk_penalty, prefix_tokens
        )

    def _hypothesis(self, tokens, scores, count):
        """As fairseq's, of a row of :meth:`DraftSearch.run`."""
        scores = scores[:count]
        score = scores.sum()
        if self.normalize_scores:
            score = score / int(count) ** self.len_penalty
        return {
            "tokens": tokens[1 : count + 1],
            "score": score,
            "attention": torch.empty(0),
            "alignment": torch.empty(0),
            "positional_scores": scores,
        }


class DraftGenerator(_Drafting, SequenceGenerator):
    """Greedy search with drafts over any symbols."""


class Utf8DraftGenerator(_Drafting, Utf8SequenceGenerator):
    """The same, of valid UTF-8 only."""

    def _rules(self, max_len, prefix_tokens):
        rules = super()._rules(max_len, prefix_tokens)
        rules.keep_to_utf8(self.search.automaton, self.search.limits)
        return rules


def draft_generator_class(models, args, cfg, dictionary, is_utf8):
    """The generator for generation options, and what to pass to it beside them.

    Args:
        models (list of FairseqModel)
        args (Namespace or GenerationConfig): fairseq's generation options.
        cfg (ByteTranslationConfig): with ``draft``.
        dictionary (TextDictionary): of translations.
        is_utf8 (bool): they must be valid UTF-8.

    Returns:
        tuple: the class and a dict.

    Raises:
        OSError, ValueError: options that are no greedy search, or a draft that cannot be
            read.
    """
    if not getattr(args, "score_reference", False):
        check_greedy(args)
    extra = {
        "draft": DRAFTS[cfg.draft].build(cfg, dictionary, models),
        "draft_length": parse_draft_length(cfg.draft_length),
    }
    return (Utf8DraftGenerator if is_utf8 else DraftGenerator), extra


def check_greedy(args):
    """Raise ValueError where generation options (Namespace) are no greedy search."""
    beam = getattr(args, "beam", 5)
    if beam != 1:
        raise ValueError(
            f"--draft is for greedy search, and the beam is {beam}: add --beam 1"
        )
    for name, what in _REFUSED.items():
        value = getattr(args, name, None)
        if value and value != -1:
            raise ValueError(
                f"--{name.replace('_', '-')} {what}, which greedy search does not: drop "
                "that flag or --draft"
            )


def check_draft_options(cfg):
    """Raise ValueError where draft options (ByteTranslationConfig) would do nothing."""
    if cfg.draft == "none" and cfg.draft_length != AUTO:
        raise ValueError("--draft-length does nothing without --draft: add that flag")
    if cfg.draft_file is not None and cfg.draft not in NEED_FILE:
        raise ValueError(
            f"--draft-file is read for --draft {' or '.join(NEED_FILE)}: add that flag"
        )
