"""The kinds of experiment: a file each, and a line here."""

from .bert import Bert
from .classification import Classification
from .composers import Composers
from .cross_domain import CrossDomain
from .embedding_approximation import EmbeddingApproximation
from .few_shot import FewShot
from .many_to_one import ManyToOne
from .masked_characters import MaskedCharacters
from .masked_pieces import MaskedPieces
from .sweep import Sweep
from .tagging import Tagging
from .word_language_model import WordLanguageModel
from .zero_shot import ZeroShot

KINDS = {
    "many_to_one": ManyToOne,
    "transfer_zero_shot": ZeroShot,
    "transfer_few_shot": FewShot,
    "cross_domain": CrossDomain,
    "sweep": Sweep,
    "embedding_approximation": EmbeddingApproximation,
    "composers": Composers,
    "tagging": Tagging,
    "classification": Classification,
    "word_language_model": WordLanguageModel,
    "masked_characters": MaskedCharacters,
    "masked_pieces": MaskedPieces,
    "bert": Bert,
}
