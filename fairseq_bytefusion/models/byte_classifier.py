"""``byte_classifier``: a label for each sentence."""

import torch
from fairseq.models import register_model

from ..modules.heads import SoftmaxHead
from .labelling_model import LabellingModel, register_presets
from .options.labelling import ByteClassifierConfig


@register_model("byte_classifier", dataclass=ByteClassifierConfig)
class ByteClassifierModel(LabellingModel):
    """Encoder, mean over the states of words, and a softmax over labels."""

    CONFIG = ByteClassifierConfig

    @classmethod
    def build_head(cls, options, task):
        """nn.Module: a linear layer and a softmax, over the mean and any features."""
        return SoftmaxHead(options.encoder_embed_dim + task.num_features, len(task.labels))

    def forward(self, src_tokens, src_lengths=None, features=None):
        """
        Args:
            src_tokens (Long[B, T]): padded on either side.
            src_lengths (Long[B], optional): fairseq passes it; not needed.
            features (Float[B, F], optional): of the sentences, such as tf-idf.

        Returns:
            dict: ``scores`` Float[B, L], ``states`` Float[B, S, D] of words,
            ``padding_mask`` Bool[B, S], ``is_word`` Bool[B, S], False at ``</s>`` too.
        """
        states, padding_mask, is_word = self.words(src_tokens)
        # A sentence without words is its </s>.
        counted = is_word | (~padding_mask & ~is_word.any(1, keepdim=True))
        sentences = self.dropout_module(mean_over(states, counted))
        if features is not None:
            sentences = torch.cat([sentences, features.to(sentences)], 1)
        return {
            "scores": self.head(sentences),
            "states": states,
            "padding_mask": padding_mask,
            "is_word": is_word,
        }

    def decode(self, output):
        """Long[B]: the labels of the sentences of ``output`` (of :meth:`forward`)."""
        return self.head.decode(output["scores"], None)

    def log_probabilities(self, output):
        """Float[B, L]: of each label of each sentence of ``output``."""
        return self.head.log_probabilities(output["scores"], None)


def mean_over(states, counted):
    """The mean of those states of a sentence that count; zeros where none does.

    Args:
        states (Float[B, S, D])
        counted (Bool[B, S])

    Returns:
        Float[B, D]
    """
    weights = counted.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


register_presets("byte_classifier")
