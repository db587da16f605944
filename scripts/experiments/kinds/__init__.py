"""The kinds of experiment: a file each, and a line here."""

from .cross_domain import CrossDomain
from .few_shot import FewShot
from .many_to_one import ManyToOne
from .zero_shot import ZeroShot

KINDS = {
    "many_to_one": ManyToOne,
    "transfer_zero_shot": ZeroShot,
    "transfer_few_shot": FewShot,
    "cross_domain": CrossDomain,
}
