"""Tiny labellers for tests."""

from argparse import Namespace

import torch
from fairseq.models import ARCH_CONFIG_REGISTRY

from fairseq_bytefusion.generation import ByteClassifier, ByteTagger

from ..models.labelling import MODELS
from ..tasks.running import label_task

LABELLERS = {"tagging": ByteTagger, "classification": ByteClassifier}
NAMES = {"tagging": "byte_tagger", "classification": "byte_classifier"}


def labeller(kind, data, seed=1, task_options=None, **options):
    """A labeller with random weights, of the labels of a data directory."""
    task = label_task(kind, data, **(task_options or {}))
    args = Namespace(**options)
    ARCH_CONFIG_REGISTRY[f"{NAMES[kind]}_tiny"](args)
    config = MODELS[NAMES[kind]].CONFIG
    for name in config.__dataclass_fields__:
        if not name.startswith("_") and not hasattr(args, name):
            setattr(args, name, getattr(config(), name))
    args.max_source_positions = task.cfg.max_source_positions
    args._name = f"{NAMES[kind]}_tiny"
    torch.manual_seed(seed)
    return LABELLERS[kind](task.build_model(args), task)
