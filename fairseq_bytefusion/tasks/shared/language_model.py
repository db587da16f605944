"""Encoders over the layers of a language model."""

from ...checkpoints.reading import open_checkpoint
from .starting import require_start

_FLAG = "--elmo-from"
_PREFIX = "encoder."
_TASK = "word_language_model"


class LanguageModelTransfer:
    """For a task with ``source_dictionary``: its models may stand on a language model.

    A checkpoint keeps that model's options beside its weights, and needs no other file.
    """

    #: dict: options of the language model, once they were asked for
    _language_model = None

    def language_model(self, path):
        """The options of the language model: those that the checkpoint that is being
        loaded keeps, or else those of the one at ``path``.

        Args:
            path (str): what ``--elmo-from`` says.

        Returns:
            dict

        Raises:
            OSError, RuntimeError: a checkpoint that cannot be read.
            ValueError: no language model, or one of other symbols.
        """
        if self._language_model is None:
            self._language_model = _options_of(_open(path, self))
        return self._language_model

    def build_model(self, cfg, from_checkpoint=False):
        """As in fairseq; a new model takes over the weights of its language model."""
        model = super().build_model(cfg, from_checkpoint)
        if getattr(cfg, "elmo_from", None) and not from_checkpoint:
            encoder = model.encoder.embed_tokens.language_model
            encoder.load_state_dict(_weights_of(_open(cfg.elmo_from, self)))
        return model

    def state_dict(self):
        """As in fairseq, and the options of the language model, if there is one."""
        state = super().state_dict()
        if self._language_model is not None:
            state["language_model"] = dict(self._language_model)
        return state

    def load_state_dict(self, state):
        """Called by fairseq before it builds the model of a checkpoint."""
        super().load_state_dict(state)
        self._language_model = state.get("language_model")


def _open(path, task):
    """Checkpoint: the language model at ``path``, whose symbols are those of ``task``."""
    require_start(_FLAG, path, "needed to resume as well; not to translate or label")
    checkpoint = open_checkpoint(path)
    if checkpoint.task != _TASK:
        raise ValueError(
            f"{_FLAG} {path} is of the task {checkpoint.task}: give a checkpoint of --task "
            f"{_TASK}"
        )
    checkpoint.require_finite()
    try:
        task.check_source(checkpoint.task_state)
    except ValueError as error:
        raise ValueError(f"{_FLAG} {path} cannot be taken: {error}") from None
    return checkpoint


def _options_of(checkpoint):
    """dict: its options as a checkpoint can hold them, plain values alone."""
    plain = (str, int, float, bool, type(None))
    return {
        name: value if isinstance(value, plain) else str(value)
        for name, value in checkpoint.model_options.items()
    }


def _weights_of(checkpoint):
    return {
        name[len(_PREFIX) :]: value
        for name, value in checkpoint.parameters.items()
        if name.startswith(_PREFIX)
    }
