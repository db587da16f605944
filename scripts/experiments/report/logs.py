"""What the logs of fairseq-train (``--log-format json``) and fairseq-generate say."""

import json
import re
from dataclasses import dataclass, field
from typing import Dict, Optional

import numpy as np

_JSON_LINE = re.compile(r"\| INFO \| (train_inner|valid) \| (\{.*\})\s*$")
_TRANSLATED = re.compile(r"Translated ([\d,]+) sentences \(([\d,]+) tokens\) in ([\d.]+)s")
_LAMBDA, _SHARE = "valid_ncf_lambda_", "valid_ncf_share_"


@dataclass
class Validation:
    """Base-2 ``nll`` a target symbol; of ncf, n -> weight λ and share of the n-grams."""

    nll: float
    ngram_weights: Dict[int, float] = field(default_factory=dict)
    ngram_shares: Dict[int, float] = field(default_factory=dict)


@dataclass
class TrainingLog:
    """``validations``: number of updates -> Validation, in order. ``seconds``: likewise, in
    the training step so far; empty where the log is too short. ``batch_size``: mean
    sentences an update; ``sentences_per_second``: None where the log is too short."""

    validations: Dict[int, Validation]
    seconds: Dict[int, float]
    batch_size: Optional[float]
    sentences_per_second: Optional[float]


def read_training(path):
    """Read a log of fairseq-train.

    Of a training that was stopped and went on, what was logged last of an update counts.

    Args:
        path (str)

    Returns:
        TrainingLog

    Raises:
        OSError: it cannot be read.
        ValueError: it holds no validation.
    """
    validations, inner = {}, {}
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        for match in filter(None, map(_JSON_LINE.search, file)):
            stats = json.loads(match[2])
            if match[1] == "valid":
                updates = int(stats["valid_num_updates"])
                validations[updates] = _validation(stats)
            else:
                inner[int(stats["num_updates"])] = stats
    if not validations:
        raise ValueError(f"{path} holds no validation: did the training begin?")
    validations = dict(sorted(validations.items()))
    return TrainingLog(validations, _seconds(inner, validations), *_speed(inner))


def _validation(stats):
    return Validation(
        float(stats["valid_nll_loss"]), _by_size(stats, _LAMBDA), _by_size(stats, _SHARE)
    )


def _by_size(stats, prefix):
    """n -> value of the keys that begin with ``prefix`` and end with n."""
    return {
        int(key[len(prefix) :]): float(value)
        for key, value in stats.items()
        if key.startswith(prefix)
    }


def _seconds(inner, validations):
    """Seconds of training at each validation, interpolated between lines of train_inner."""
    updates = [0, *sorted(inner)]
    passed = np.cumsum([0.0, *(float(inner[u]["train_wall"]) for u in updates[1:])])
    if not passed[-1]:
        return {}
    return dict(zip(validations, np.interp(list(validations), updates, passed).tolist()))


def _speed(inner):
    """(mean batch size, sentences per second) of lines of train_inner by update."""
    sentences = seconds = before = 0
    for updates, stats in sorted(inner.items()):
        sentences += float(stats["bsz"]) * (updates - before)
        # Time in the training step alone, in whole seconds.
        seconds += float(stats["train_wall"])
        before = updates
    if not sentences:
        return None, None
    return sentences / before, sentences / seconds if seconds else None


def decoding_time(path):
    """Sentences translated and seconds, as fairseq-generate logs them at its end.

    Args:
        path (str)

    Returns:
        tuple: int, float

    Raises:
        OSError: it cannot be read.
        ValueError: it does not say.
    """
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        found = _TRANSLATED.search(file.read())
    if found is None:
        raise ValueError(f"{path} does not say how long the translation took")
    return int(found[1].replace(",", "")), float(found[3])
