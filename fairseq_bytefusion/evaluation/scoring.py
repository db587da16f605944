"""BLEU, chrF2 and their significance, by SacreBLEU itself."""

from dataclasses import dataclass
from typing import List

from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest


@dataclass
class System:
    """A system's translations; the first of several is the baseline."""

    name: str
    hypotheses: List[str]


def score_systems(systems, references, num_bootstrap=1000):
    """Corpus BLEU (13a) and chrF2; with several systems, paired bootstrap too.

    Args:
        systems (list of System): the first is the baseline.
        references (list of str): one a sentence.
        num_bootstrap (int): resamplings of the paired test.

    Returns:
        list of dict: a system each, with ``system`` and, under ``BLEU`` and
        ``chrF2``, a dict of ``score``, ``signature`` and ``text``; with
        several systems also ``mean`` and ``ci`` of the resamplings and, but for
        the baseline, ``p_value``.

    Raises:
        ValueError: a system with another number of sentences; two of one name.

    Source: Koehn 2004 (bootstrap); SacreBLEU's implementation.
    """
    for system in systems:
        if len(system.hypotheses) != len(references):
            raise ValueError(
                f"{system.name} has {len(system.hypotheses)} sentences, "
                f"the reference has {len(references)}"
            )
    if len({system.name for system in systems}) < len(systems):
        raise ValueError("two systems have the same name: give each file once")
    if not references:
        raise ValueError("there is nothing to score: the reference has no sentence")
    rows = [_score(system, references) for system in systems]
    if len(systems) > 1:
        _add_significance(rows, systems, references, num_bootstrap)
    return rows


def build_metrics(references):
    """Name -> SacreBLEU metric that knows the references (list of str)."""
    # SacreBLEU warns of tokenised hypotheses from 100 final " ." on; where the
    # references are written that way it is no mistake.
    tokenized = sum(reference.endswith(" .") for reference in references) >= 100
    return {
        "BLEU": BLEU(references=[references], force=tokenized),
        "chrF2": CHRF(references=[references]),
    }


def _score(system, references):
    row = {"system": system.name}
    for name, metric in build_metrics(references).items():
        score = metric.corpus_score(system.hypotheses, None)
        row[name] = {
            "score": score.score,
            "text": score.format(),
            "signature": str(metric.get_signature()),
        }
    return row


def _add_significance(rows, systems, references, num_bootstrap):
    metrics = build_metrics(references)
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
