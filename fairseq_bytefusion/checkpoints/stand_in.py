"""A checkpoint's model without its vocabularies: for what does not depend on them."""

from argparse import Namespace

import numpy as np
import torch
from fairseq.models import ARCH_MODEL_REGISTRY

from ..modules.pretrained import PretrainedParts
from ..text.text_dictionary import TextDictionary


class _NoText(TextDictionary):
    """The special symbols alone, and any text is one ``<unk>``."""

    def __init__(self):
        super().__init__()
        self.fix()

    def symbol_ids(self, raw):
        return np.array([self.unk()])


class _NoTask:
    """What building a model asks of a task.

    Args:
        labels (list of str): of a model that labels.
        pretrained (dict, optional): the state of what it has of a pre-trained encoder.
        language_model (dict, optional): options of the one that its embedder stands on.
    """

    num_features = 0

    def __init__(self, labels, pretrained=None, language_model=None):
        self.source_dictionary = self.target_dictionary = _NoText()
        self.labels = labels
        self.pretrained = pretrained and PretrainedParts(**pretrained)
        self.language_model = lambda path: language_model

    def source_words(self):
        """list of bytes: a table has one row at least."""
        return [b"?"]


@torch.no_grad()
def stand_in_model(checkpoint, family):
    """The model of a checkpoint whose vocabularies and data may be gone.

    Tables of symbols and words are cut to what every vocabulary has and hold random
    numbers, as does what reads tf-idf, which is left out; every other parameter is that of
    the checkpoint.

    Args:
        checkpoint (Checkpoint)
        family (str): the architecture that stands for one which is not registered. What
            it sets is among the options of the checkpoint.

    Returns:
        FairseqModel: in eval mode.

    Raises:
        ValueError: the options contradict each other.
    """
    model_class = ARCH_MODEL_REGISTRY.get(checkpoint.arch, ARCH_MODEL_REGISTRY[family])
    options = Namespace(**checkpoint.model_options)
    getattr(model_class, "resolve_as_before", lambda saved: None)(options)
    state = checkpoint.task_state
    task = _NoTask(checkpoint.labels, state.get("pretrained"), state.get("language_model"))
    model = model_class.build_model(options, task)
    parameters = dict(checkpoint.parameters)
    model.upgrade_state_dict(parameters)
    # load_state_dict would refuse the other tables.
    for name, tensor in model.state_dict().items():
        saved = parameters.get(name)
        if saved is not None and saved.shape == tensor.shape:
            tensor.copy_(saved)
    return model.eval()
