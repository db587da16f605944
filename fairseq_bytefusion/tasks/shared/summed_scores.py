"""Scores of text whose statistics add up over batches and workers."""

from dataclasses import dataclass
from typing import Callable, Tuple

from fairseq.tasks.translation import EVAL_BLEU_ORDER
from sacrebleu.metrics import BLEU, CHRF

# chrF2, as SacreBLEU and bytefusion score have it: no spaces, no words.
_CHRF = CHRF()


@dataclass(frozen=True)
class SummedScore:
    """A score of a validation set.

    Args:
        name (str): as it is logged.
        keys (tuple of str): of its statistics in a logging output, which are added up.
        compute (callable): those sums, float64[len(keys)], to the score, as fairseq
            rounds it.
    """

    name: str
    keys: Tuple[str, ...]
    compute: Callable


def chrf_statistics(hypotheses, references):
    """What chrF2 needs to know of some sentences.

    Args:
        hypotheses, references (list of str): N of each.

    Returns:
        dict: key of a logging output -> int, the number of n-grams of one order in
        the hypotheses, in the references or in both.

    Source: Popović 2015; SacreBLEU's implementation.
    """
    of_sentences = _CHRF._extract_corpus_statistics(hypotheses, [references])
    return dict(zip(CHRF_SCORE.keys, map(sum, zip(*of_sentences))))


def _bleu_of_sums(sums):
    order = EVAL_BLEU_ORDER
    sys_len, ref_len = map(int, sums[2 * order :])
    score = BLEU.compute_bleu(
        correct=sums[:order],
        total=sums[order : 2 * order],
        sys_len=sys_len,
        ref_len=ref_len,
        smooth_method="exp",
    )
    return round(score.score, 2)


def _chrf_of_sums(sums):
    return round(float(_CHRF._compute_score_from_stats(sums).score), 2)


BLEU_SCORE = SummedScore(
    "bleu",
    (
        *(f"_bleu_{k}_{i}" for k in ("counts", "totals") for i in range(EVAL_BLEU_ORDER)),
        *("_bleu_sys_len", "_bleu_ref_len"),
    ),
    _bleu_of_sums,
)
CHRF_SCORE = SummedScore(
    "chrf",
    tuple(
        f"_chrf_{kind}_{n}"
        for n in range(1, _CHRF.order + 1)
        for kind in ("hyp", "ref", "match")
    ),
    _chrf_of_sums,
)
SUMMED_SCORES = (BLEU_SCORE, CHRF_SCORE)
