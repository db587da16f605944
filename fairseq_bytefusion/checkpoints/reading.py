"""Open a checkpoint, and refuse in one sentence what is not of the kind that is needed.

Tasks and data sets start from checkpoints too: this file stands below them, and imports
nothing of the package but ``compat`` and ``text``.
"""

import functools
from dataclasses import dataclass

from fairseq import checkpoint_utils

from ..compat.fairseq_checkpoints import options_of
from ..compat.fairseq_loading import CheckpointError, not_finite_message, tensors_not_finite
from ..text.word_list import unpack_labels, unpack_words


@dataclass(frozen=True)
class Checkpoint:
    """What a file of fairseq holds, whatever wrote it.

    ``state`` is the dict that fairseq's own functions take.
    """

    path: str
    state: dict

    def options(self, part):
        """dict: the options of a ``part`` (str) of fairseq's configuration."""
        return options_of(self.state, part)

    @functools.cached_property
    def task_options(self):
        """dict: the options of the task, ``_name`` among them."""
        return self.options("task")

    @functools.cached_property
    def model_options(self):
        """dict: the options of the model, ``_name`` among them."""
        return self.options("model")

    @property
    def task(self):
        """str: the name of the task; None in a checkpoint that does not say."""
        return self.task_options.get("_name")

    @property
    def arch(self):
        """str: the name given to ``--arch``."""
        return str(self.model_options.get("_name"))

    @property
    def task_state(self):
        """dict: what the task keeps beside its options."""
        return self.state.get("task_state") or {}

    @property
    def parameters(self):
        """dict of str to Tensor: parameters and buffers of the model."""
        return self.state["model"]

    @property
    def num_updates(self):
        """int: updates of the training so far."""
        history = self.state.get("optimizer_history") or [{}]
        return history[-1].get("num_updates", 0)

    @property
    def source_words(self):
        """list of bytes: the known words, in the order of their table; None for an embedder
        without such a table, and for a mixture older than this entry."""
        words = self.task_state.get("source_words")
        return None if words is None else unpack_words(words)

    @property
    def labels(self):
        """list of str: the labels of a tagger or classifier, in the order of its scores;
        None of any other model."""
        labels = self.task_state.get("labels")
        return None if labels is None else unpack_labels(labels)

    @property
    def not_finite(self):
        """list of str: names of the parameters that hold NaN or infinity."""
        return tensors_not_finite(self.parameters)

    def require_finite(self):
        """Refuse a model that training has blown up.

        Raises:
            ValueError: a parameter holds NaN or infinity; it is named.
        """
        if self.not_finite:
            raise ValueError(not_finite_message(self.path, self.not_finite))

    def require_arch(self, family, flag=""):
        """Refuse another model.

        Args:
            family (str): what the name of the architecture begins with.
            flag (str): that gave the path.

        Raises:
            ValueError: the model is of another family.
        """
        if not self.arch.startswith(family):
            named = f"{flag} {self.path}".lstrip()
            raise ValueError(
                f"{named} holds {_with_article(self.arch)}, not {_with_article(family)}"
            )

    def require_task(self, name, purpose):
        """Refuse a model of another task.

        Args:
            name (str): of the task.
            purpose (str): what a model of it does, as in ``translates raw text``.

        Raises:
            ValueError: the task is another.
        """
        if self.task != name:
            raise ValueError(
                f"{self.path} is of the task {self.task}: only a model of the task {name} "
                f"{purpose}"
            )


def _with_article(name):
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def open_checkpoint(path, overrides=None):
    """Read a checkpoint.

    Args:
        path (str)
        overrides (dict, optional): options to change, as fairseq's ``arg_overrides``.

    Returns:
        Checkpoint

    Raises:
        OSError: the file cannot be read.
        RuntimeError: it is no complete checkpoint.
    """
    state = checkpoint_utils.load_checkpoint_to_cpu(path, overrides)
    if not state.get("cfg") or "model" not in state:
        raise CheckpointError(
            f"{path} cannot be read as a fairseq checkpoint: it lacks a model or options"
        )
    return Checkpoint(path, state)
