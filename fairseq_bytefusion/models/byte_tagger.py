"""``byte_tagger``: a label for each word."""

from fairseq.models import register_model

from ..modules.heads import HEADS
from ..text.labelled_lines import NO_LABEL
from .labelling_model import LabellingModel, register_presets
from .options.labelling import ByteTaggerConfig


@register_model("byte_tagger", dataclass=ByteTaggerConfig)
class ByteTaggerModel(LabellingModel):
    """Encoder, states of words, and a head that labels them."""

    CONFIG = ByteTaggerConfig

    @classmethod
    def build_head(cls, options, task):
        """nn.Module: a softmax or a conditional random field."""
        return HEADS[options.tag_decoder](options.encoder_embed_dim, len(task.labels))

    def forward(self, src_tokens, src_lengths=None):
        """
        Args:
            src_tokens (Long[B, T]): padded on either side.
            src_lengths (Long[B], optional): fairseq passes it; not needed.

        Returns:
            dict: ``scores`` Float[B, S, L], ``states`` Float[B, S, D] of words,
            ``padding_mask`` Bool[B, S], ``is_word`` Bool[B, S], False at ``</s>`` too.
        """
        states, padding_mask, is_word = self.words(src_tokens)
        return {
            "scores": self.head(self.dropout_module(states)),
            "states": states,
            "padding_mask": padding_mask,
            "is_word": is_word,
        }

    def decode(self, output):
        """Long[B, S]: the labels of the words of ``output`` (of :meth:`forward`),
        ``NO_LABEL`` where there is none."""
        labels = self.head.decode(output["scores"], output["is_word"])
        return labels.masked_fill(~output["is_word"], NO_LABEL)

    def log_probabilities(self, output):
        """Float[B, S, L]: of each label of each word of ``output``, whatever the labels of
        the others are: a softmax, or the marginals of a conditional random field."""
        return self.head.log_probabilities(output["scores"], output["is_word"])


register_presets("byte_tagger")
