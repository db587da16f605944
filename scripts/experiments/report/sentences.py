"""What systems make of single sentences: BLEU by length, and where they differ most."""

from dataclasses import dataclass
from typing import Dict, List

import numpy as np
from sacrebleu.metrics import BLEU, CHRF

from fairseq_bytefusion.evaluation.score_files import read_test_set

NUM_BUCKETS = 4


@dataclass
class Translations:
    """A test set of a setting, translated by several systems with one seed."""

    label: str
    dataset: str
    sources: List[str]
    references: List[str]
    hypotheses: Dict[str, List[str]]


@dataclass
class Example:
    """A sentence; ``outputs``: system -> (translation, its chrF2)."""

    label: str
    source: str
    reference: str
    outputs: Dict[str, tuple]
    spread: float


def read_translations(plan, commands, setting, seed):
    """The test sets of a setting.

    Returns:
        dict: TestSet -> Translations
    """
    runs = plan.runs_of(setting, seed)
    language = setting.target if plan.grid.moses else None
    found = {}
    for test in setting.tests:
        logs = [commands.log(run, test) for run in runs]
        reference = commands.reference(setting, test)
        read, references = read_test_set(logs, reference, language)
        hypotheses = {run.system: hyp.texts for run, hyp in zip(runs, read)}
        label = f"{setting.name}, {test.name}" if setting.name != "all" else test.name
        found[test] = Translations(
            label, test.dataset, read[0].sources, references, hypotheses
        )
    return found


def bleu_by_length(translations):
    """BLEU in quarters of the sentences by source length, all test sets together.

    Args:
        translations (list of Translations)

    Returns:
        tuple: labels of the quarters (list of str), and system -> list of float, one a
        quarter. Quarters of one length are joined.
    """
    sources = [s for t in translations for s in t.sources]
    references = [r for t in translations for r in t.references]
    lengths = np.array([len(source.encode()) for source in sources])
    edges = np.unique(np.quantile(lengths, np.linspace(0, 1, NUM_BUCKETS + 1)).astype(int))
    bucket = np.clip(
        np.searchsorted(edges, lengths, side="left"), 1, max(len(edges) - 1, 1)
    )
    present = np.unique(bucket)
    labels = [f"{lengths[bucket == b].min()}–{lengths[bucket == b].max()}" for b in present]
    scores = {}
    for system in translations[0].hypotheses:
        texts = [h for t in translations for h in t.hypotheses[system]]
        scores[system] = [
            BLEU(force=True)
            .corpus_score(
                [texts[i] for i in np.flatnonzero(bucket == b)],
                [[references[i] for i in np.flatnonzero(bucket == b)]],
            )
            .score
            for b in present
        ]
    return labels, scores


def most_different(translations, count):
    """The sentences whose translations differ most in chrF2 between systems.

    Args:
        translations (list of Translations)
        count (int)

    Returns:
        list of Example, the largest difference first.
    """
    metric = CHRF()
    examples = []
    for test in translations:
        for i, reference in enumerate(test.references):
            outputs = {
                system: (texts[i], metric.sentence_score(texts[i], [reference]).score)
                for system, texts in test.hypotheses.items()
            }
            scores = [score for _, score in outputs.values()]
            spread = max(scores) - min(scores)
            examples.append(
                Example(test.label, test.sources[i], reference, outputs, spread)
            )
    return sorted(examples, key=lambda example: -example.spread)[:count]
