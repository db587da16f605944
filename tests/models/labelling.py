"""Tiny taggers and classifiers for tests."""

from argparse import Namespace

import torch
from fairseq.models import ARCH_CONFIG_REGISTRY

from fairseq_bytefusion.models.byte_classifier import ByteClassifierModel
from fairseq_bytefusion.models.byte_tagger import ByteTaggerModel

from ..helpers import DictionaryTask

MODELS = {"byte_tagger": ByteTaggerModel, "byte_classifier": ByteClassifierModel}


class LabelTask(DictionaryTask):
    """The part of a labelling task that building a model needs."""

    def __init__(self, labels=("A", "B", "C"), num_features=0):
        super().__init__()
        self.labels, self.num_features = list(labels), num_features


def label_model(name="byte_tagger", seed=1, task=None, **overrides):
    """A ``byte_tagger`` or ``byte_classifier`` with random weights, in eval mode."""
    torch.manual_seed(seed)
    args = Namespace(**overrides)
    ARCH_CONFIG_REGISTRY[f"{name}_tiny"](args)
    config = MODELS[name].CONFIG
    defaults = config()
    for field in config.__dataclass_fields__:
        if not field.startswith("_") and not hasattr(args, field):
            setattr(args, field, getattr(defaults, field))
    args.max_source_positions = overrides.get("max_source_positions", 2048)
    return MODELS[name].build_model(args, task or LabelTask()).eval()
