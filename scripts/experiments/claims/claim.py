"""A claim of a paper, and where what was measured about it is."""

from dataclasses import dataclass, field, fields
from pathlib import Path

import yaml

CLAIMS_FILE = Path(__file__).with_name("claims.yaml")

#: measure -> the keys that it needs, beside those that every claim has
KEYS = {
    "scores": {"experiment", "system", "other"},
    "speed": {"experiment", "system", "other"},
    "table": {"file", "group", "row", "column"},
}
OPTIONAL = {"metric", "other"}
ALWAYS = {"paper", "where", "says", "measure"}


@dataclass(frozen=True)
class Claim:
    """A claim; the head of claims.yaml says what each key means."""

    paper: str
    where: str
    says: str
    measure: str
    experiment: str = ""
    system: str = ""
    other: object = None
    metric: str = "BLEU"
    file: str = ""
    group: str = ""
    row: dict = field(default_factory=dict)
    column: str = ""


def read_claims(path=CLAIMS_FILE):
    """The claims of a file, in order.

    Args:
        path (Path)

    Returns:
        list of Claim

    Raises:
        ValueError: a key is missing, or not known; one sentence names it.
    """
    return [
        _claim(keys, f"{path.name}: claim {number}")
        for number, keys in enumerate(yaml.safe_load(path.read_text("utf-8")), 1)
    ]


def _claim(keys, where):
    measure = keys.get("measure")
    if measure not in KEYS:
        raise ValueError(f"{where}: measure {measure!r}: choose from {', '.join(KEYS)}")
    needed = ALWAYS | KEYS[measure]
    if missing := sorted(needed - keys.keys()):
        raise ValueError(f"{where}: the key {missing[0]} is missing")
    if unknown := sorted(keys.keys() - needed - OPTIONAL):
        valid = ", ".join(f.name for f in fields(Claim) if f.name in needed | OPTIONAL)
        raise ValueError(f"{where}: there is no key {unknown[0]!r}; choose from {valid}")
    return Claim(**keys)
