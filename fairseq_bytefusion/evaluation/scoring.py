"""Scores of translations and their significance, by SacreBLEU itself."""

from dataclasses import dataclass
from typing import List

from sacrebleu.significance import PairedTest

from .metrics import DEFAULT_METRICS, build_metrics
from .references import reference_sets


@dataclass
class System:
    """A system's translations; the first of several is the baseline."""

    name: str
    hypotheses: List[str]


def score_systems(
    systems,
    references,
    num_bootstrap=1000,
    metrics=DEFAULT_METRICS,
    tokenize=None,
    confidence=False,
):
    """Corpus scores, such as BLEU and chrF2; with several systems, paired bootstrap too.

    Args:
        systems (list of System): the first is the baseline.
        references (list of str, or list of list of str): a sentence a line; several
            references are a list of them.
        num_bootstrap (int): resamplings of the paired test and of ``confidence``.
        metrics (list of str): of bleu, chrf, chrf++ and ter.
        tokenize (str, optional): SacreBLEU's tokenizer of BLEU (13a).
        confidence (bool): also the interval of one system.

    Returns:
        list of dict: a system each, with ``system`` and, under SacreBLEU's name of
        each metric (``BLEU``, ``chrF2``, ``chrF2++``, ``TER``), a dict of ``score``,
        ``signature`` and ``text``; with several systems or ``confidence`` also ``mean``
        and ``ci`` of the resamplings and, of systems behind the baseline, ``p_value``.

    Raises:
        ValueError: a system with another number of sentences; two of one name; see
            :func:`~.metrics.build_metrics`; ``confidence`` in several systems.

    Source: Koehn 2004 (bootstrap); SacreBLEU's implementation.
    """
    _check_sizes(systems, reference_sets(references))
    if confidence:
        _check_confidence(systems, num_bootstrap)
    built = build_metrics(references, metrics, tokenize)
    resamples = num_bootstrap if confidence else 1
    rows = [_score(system, built, resamples) for system in systems]
    if len(systems) > 1:
        _add_significance(rows, systems, built, num_bootstrap)
    return rows


def _check_sizes(systems, references):
    for system in systems:
        for lines in references:
            if len(system.hypotheses) != len(lines):
                raise ValueError(
                    f"{system.name} has {len(system.hypotheses)} sentences, "
                    f"the reference has {len(lines)}"
                )
    if len({system.name for system in systems}) < len(systems):
        raise ValueError("two systems have the same name: give each file once")
    if not references[0]:
        raise ValueError("there is nothing to score: the reference has no sentence")


def _check_confidence(systems, num_bootstrap):
    if len(systems) > 1:
        raise ValueError(
            "--confidence is for one system, and with several the paired bootstrap gives "
            "the interval of each: drop that flag"
        )
    if num_bootstrap < 2:
        raise ValueError("--confidence needs resamples: raise --num-bootstrap")


def _score(system, metrics, resamples):
    row = {"system": system.name}
    for name, metric in metrics.items():
        score = metric.corpus_score(system.hypotheses, None, n_bootstrap=resamples)
        row[name] = {
            "score": float(score.score),
            "text": score.format(),
            "signature": str(metric.get_signature()),
        }
        if resamples > 1:  # SacreBLEU shows them within the text alone
            row[name]["mean"], row[name]["ci"] = float(score._mean), float(score._ci)
    return row


def _add_significance(rows, systems, metrics, num_bootstrap):
    signatures, scores = PairedTest(
        [(system.name, system.hypotheses) for system in systems],
        metrics,
        references=None,
        test_type="bs",
        n_samples=num_bootstrap,
    )()
    for name in metrics:
        for row, result in zip(rows, scores[name]):
            row[name]["mean"], row[name]["ci"] = float(result.mean), float(result.ci)
            row[name]["signature"] = signatures[name].format()
            if result.p_value is not None:
                row[name]["p_value"] = float(result.p_value)
