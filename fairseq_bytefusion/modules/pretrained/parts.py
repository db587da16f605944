"""What a checkpoint keeps of a Hugging Face directory, beside its weights."""

import inspect
import json
from dataclasses import asdict, dataclass
from typing import Dict

from ...compat.transformers import import_transformers

_NEEDED_BY = "a pre-trained encoder of Hugging Face"


@dataclass(frozen=True)
class PretrainedParts:
    """Configuration and tokenizer: enough to build the layers and to cut words into pieces.

    Attributes:
        config (str): of ``config.json``, every value written out.
        tokenizer (str): of ``tokenizer.json``.
        special (dict of str to int): the rows of ``cls``, ``sep``, ``pad``, ``unk``.
    """

    config: str
    tokenizer: str
    special: Dict[str, int]

    def state(self):
        """dict: for a checkpoint."""
        return asdict(self)

    def is_like(self, other):
        """bool: whether ``other`` (PretrainedParts) means the same, whatever a version of
        transformers or tokenizers writes beside it."""
        pairs = ((self.config, other.config), (self.tokenizer, other.tokenizer))
        return self.special == other.special and all(
            _agree(*map(json.loads, pair)) for pair in pairs
        )

    @property
    def values(self):
        """dict: the configuration."""
        return json.loads(self.config)

    def layers(self):
        """A new encoder: embeddings and layers, without a pooler where it may have one.

        Returns:
            nn.Module: of transformers, with random weights.

        Raises:
            ValueError: transformers is not installed, or does not know such a model.
        """
        transformers = import_transformers(_NEEDED_BY)
        config = self._config(transformers)
        return transformers.AutoModel.from_config(
            config, **without_pooler(transformers, config)
        )

    def masked_lm(self):
        """As :meth:`layers`, within a model that has a head over the pieces."""
        transformers = import_transformers(_NEEDED_BY)
        return transformers.AutoModelForMaskedLM.from_config(self._config(transformers))

    def _config(self, transformers):
        values = self.values
        kind = values.get("model_type")
        if kind not in transformers.CONFIG_MAPPING:
            raise ValueError(
                f"transformers {transformers.__version__} knows no model of the type "
                f"{kind}: install the version it was made with"
            )
        return transformers.CONFIG_MAPPING[kind].from_dict(values)

    def sizes(self):
        """dict of str to int: ``encoder_embed_dim``, ``encoder_layers`` and
        ``encoder_attention_heads``, as models of this package call them."""
        config = self._config(import_transformers(_NEEDED_BY))
        return {
            "encoder_embed_dim": config.hidden_size,
            "encoder_layers": config.num_hidden_layers,
            "encoder_attention_heads": config.num_attention_heads,
        }


def _agree(a, b):
    """bool: whether all that two values of JSON both name is alike; a vocabulary wholly."""
    if not (isinstance(a, dict) and isinstance(b, dict)):
        return a == b
    return all(
        a[key] == b[key] if key == "vocab" else _agree(a[key], b[key])
        for key in a.keys() & b.keys()
    )


def without_pooler(transformers, config):
    """dict: arguments that leave out a pooler, where the model of ``config`` has one."""
    model_class = transformers.MODEL_MAPPING[type(config)]
    has_pooler = "add_pooling_layer" in inspect.signature(model_class).parameters
    return {"add_pooling_layer": False} if has_pooler else {}


def num_positions(layers):
    """The most positions of a sentence, ``[CLS]`` and ``[SEP]`` among them.

    Args:
        layers (nn.Module): of :meth:`PretrainedParts.layers`.

    Returns:
        int: or None where there is no limit (relative positions).
    """
    table = getattr(getattr(layers, "embeddings", None), "position_embeddings", None)
    if table is None:
        return None
    # RoBERTa and its like count from behind the row of padding.
    first = 0 if table.padding_idx is None else table.padding_idx + 1
    return table.num_embeddings - first
