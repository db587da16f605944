"""What is measured of a translated test set."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """``name`` in table.csv, ``title`` of its table; ``better``: 1 where more is better, -1
    where less is; ``shown``: the format of a score."""

    name: str
    title: str
    better: int
    shown: str
    signature: str = ""


BITS = "bits_per_byte"
ROUGE, UNSEEN = "ROUGE-L", "unseen_words"
METRICS = {
    metric.name: metric
    for metric in (
        Metric("BLEU", "BLEU", 1, "{:.2f}"),
        Metric("chrF2", "chrF2", 1, "{:.2f}"),
        Metric(
            ROUGE,
            "ROUGE-L (F1)",
            1,
            "{:.2f}",
            "mean of sentences, of longest common subsequences of words|tok:rouge_score|"
            "stemmer:no|case:lc",
        ),
        Metric(
            BITS,
            "Bits a byte of the references (less is better)",
            -1,
            "{:.3f}",
            "bits of all symbols and ends of sentences / bytes of the raw lines, one more "
            "for an end",
        ),
        Metric(
            UNSEEN,
            "Words of the references that training has not seen: % found",
            1,
            "{:.1f}",
            "recall, clipped in each sentence|tok:13a|case:mixed",
        ),
    )
}
SIGNIFICANT = 0.05
