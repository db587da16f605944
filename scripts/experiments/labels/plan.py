"""The data of experiments with labels."""

from dataclasses import dataclass
from typing import Tuple

from ..grid.plan import Setting


@dataclass(frozen=True)
class LabelTest:
    """``name`` is a part of the table; ``file``: of its data directory."""

    name: str
    file: str


@dataclass(frozen=True)
class LabelSetting(Setting):
    """``data``: name of a data directory; ``freeze``: the encoder that it starts from is
    not trained."""

    tests: Tuple[LabelTest, ...] = ()
    freeze: bool = False
