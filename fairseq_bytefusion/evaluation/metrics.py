"""What translations are scored by: metrics of SacreBLEU, and their names."""

from functools import partial

from sacrebleu.metrics import BLEU, CHRF, TER

from .references import reference_sets

# Name of a flag's value -> SacreBLEU's name of the score, how its metric is made.
METRICS = {
    "bleu": ("BLEU", BLEU),
    "chrf": ("chrF2", CHRF),
    "chrf++": ("chrF2++", partial(CHRF, word_order=2)),
    "ter": ("TER", TER),
}
DEFAULT_METRICS = ("bleu", "chrf")
TOKENIZERS = tuple(BLEU.TOKENIZERS)


def check_metrics(metrics, tokenize=None):
    """Refuse what is no choice of metrics.

    Args:
        metrics (list of str): names in :data:`METRICS`.
        tokenize (str, optional): name in :data:`TOKENIZERS`.

    Raises:
        ValueError: an unknown name, one that comes twice, a tokenizer for no BLEU.
    """
    for name in metrics:
        if name not in METRICS:
            raise ValueError(f"unknown metric {name!r}: choose from {', '.join(METRICS)}")
        if list(metrics).count(name) > 1:
            raise ValueError(f"--metrics names {name} twice: give each once")
    if tokenize is None:
        return
    if tokenize not in TOKENIZERS:
        raise ValueError(
            f"unknown tokenizer {tokenize!r}: choose from {', '.join(TOKENIZERS)}"
        )
    if "bleu" not in metrics:
        raise ValueError(
            "--tokenize is for BLEU alone, which --metrics does not name: drop that flag"
        )


def build_metrics(references, metrics=DEFAULT_METRICS, tokenize=None):
    """SacreBLEU's metrics, which know the references.

    Args:
        references (list of str, or list of list of str): see :func:`reference_sets`.
        metrics (list of str), tokenize (str, optional): see :func:`check_metrics`.

    Returns:
        dict: SacreBLEU's name of the score -> metric, in the order of ``metrics``.

    Raises:
        ValueError: see :func:`check_metrics`; a tokenizer that is not installed or
            cannot be downloaded.
    """
    check_metrics(metrics, tokenize)
    sets = reference_sets(references)
    # SacreBLEU warns of tokenised hypotheses from 100 final " ." on; where the
    # references are written that way it is no mistake.
    force = any(sum(line.endswith(" .") for line in lines) >= 100 for lines in sets)
    options = {"bleu": {"force": force, "tokenize": tokenize}}
    found = {}
    for name in metrics:
        score_name, build = METRICS[name]
        try:
            found[score_name] = build(references=sets, **options.get(name, {}))
        except (ImportError, OSError, RuntimeError) as error:
            if tokenize is None:
                raise
            reason = " ".join(str(error).split())
            raise ValueError(f"--tokenize {tokenize} cannot be used: {reason}") from error
    return found
