"""``byte_transformer``: fairseq's Transformer with a choice of embedders."""

from functools import partial

from fairseq.dataclass.utils import gen_parser_from_dataclass
from fairseq.models import register_model, register_model_architecture
from fairseq.models.transformer import TransformerModelBase

from ..modules.embedders import EMBEDDERS
from ..modules.embedders.composers.char2subword import PAPER
from ..modules.freezable import Freezable
from ..modules.fusion import FUSIONS
from .byte_decoder import ByteTransformerDecoder
from .encoder_builder import (
    build_embedder,
    build_encoder,
    known_to_embedder,
    nested_config,
)
from .options import EncoderOptions, complete, resolve_as_before
from .options.byte_transformer import ByteTransformerConfig, check_sides


@register_model("byte_transformer", dataclass=ByteTransformerConfig)
class ByteTransformerModel(Freezable, TransformerModelBase):
    """Encoder-decoder Transformer for byte and character sequences.

    With dense embedders its parameters and outputs equal those of fairseq's
    ``transformer``.

    Attributes:
        options (Namespace): what it was built with, every option resolved.
    """

    @classmethod
    def add_args(cls, parser):
        """Add the flags; those not given are left to ``--arch``."""
        gen_parser_from_dataclass(parser, ByteTransformerConfig(), delete_default=True)

    @classmethod
    def build_model(cls, cfg, task):
        """Build a model for the dictionaries of ``task``.

        Args:
            cfg (ByteTransformerConfig, DictConfig or Namespace)
            task (FairseqTask): gives ``source_dictionary``, ``target_dictionary`` and,
                for what an embedder needs, ``source_words()``, ``language_model(path)``.

        Raises:
            ValueError: options that contradict each other.
        """
        src_dict, tgt_dict = task.source_dictionary, task.target_dictionary
        options = complete(ByteTransformerConfig, cfg)
        check_sides(options, src_dict, tgt_dict)
        embedder = build_embedder(options, src_dict, **known_to_embedder(options, task))
        decoder_embedder = (
            embedder
            if options.share_all_embeddings
            else EMBEDDERS[options.decoder_embedder].build_for_decoder(
                options, tgt_dict, options.decoder_embed_dim
            )
        )
        nested = nested_config(options)
        nested.decoder.input_dim = nested.decoder.output_dim = options.decoder_embed_dim
        nested.share_decoder_input_output_embed |= options.share_all_embeddings
        encoder = build_encoder(options, src_dict, embedder=embedder)
        contexts = ()
        if options.decoder_fusion != "none":
            fusion_class = FUSIONS[options.decoder_fusion]
            context = partial(
                fusion_class.build, options, options.decoder_embed_dim, causal=True
            )
            contexts = [context] * options.decoder_layers
        decoder = ByteTransformerDecoder(
            nested, tgt_dict, decoder_embedder, contexts, options.lookahead_heads
        )
        model = cls(nested, encoder, decoder)
        model.options = options
        return model

    @staticmethod
    def resolve_as_before(saved):
        """Complete the options of a checkpoint as :func:`~.options.resolve_as_before`."""
        resolve_as_before(EncoderOptions, saved)

    def train_lookahead_only(self):
        """Let nothing learn but the heads that look ahead, and drop nothing out."""
        self.freeze()
        self.decoder.lookahead.requires_grad_(True)

    @property
    def composes_words(self):
        """bool: whether the encoder's states are those of words, not of symbols."""
        return self.encoder.embed_tokens.composes_words


def _preset(name, **values):
    """Register ``--arch name``: its values lose to the user's flags."""

    @register_model_architecture("byte_transformer", name)
    def fill(args):
        for key, value in values.items():
            setattr(args, key, getattr(args, key, value))


def _symmetric(embed_dim, ffn_embed_dim, attention_heads, encoder_layers, decoder_layers):
    """Values for an encoder and a decoder of the same width."""
    values = {"encoder_layers": encoder_layers, "decoder_layers": decoder_layers}
    for side in ("encoder", "decoder"):
        values[f"{side}_embed_dim"] = embed_dim
        values[f"{side}_ffn_embed_dim"] = ffn_embed_dim
        values[f"{side}_attention_heads"] = attention_heads
    return values


# "byte_transformer" itself is the config's defaults: 6+6 layers, 512/2048, 8 heads.
_preset("byte_transformer_iwslt", **_symmetric(512, 1024, 4, 6, 6))
_preset("byte_transformer_small", **_symmetric(128, 512, 4, 3, 2))
_preset("byte_transformer_tiny", **_symmetric(32, 64, 2, 2, 2))
_preset(
    "byte_transformer_hit",
    **_symmetric(128, 128, 8, 2, 2),
    encoder_embedder="mixture",
    mixture_composer="hit",  # its own sizes are the paper's by default
    encoder_attention="fused",
    decoder_attention="fused",
)
_preset(
    "byte_transformer_char2subword_paper",
    encoder_embedder="char2subword",
    char_embed_dim=PAPER["char_dim"],
    char2subword_layers=PAPER["layers"],
    char2subword_heads=PAPER["heads"],
)
