"""``byte_transformer``: fairseq's Transformer with a choice of embedders."""

import copy
from functools import partial

from fairseq.dataclass.utils import gen_parser_from_dataclass
from fairseq.models import register_model, register_model_architecture
from fairseq.models.transformer import TransformerConfig, TransformerModelBase

from ..modules.embedders import EMBEDDERS
from ..modules.embedders.composers import char2subword
from ..modules.fusion import FUSIONS, NgramConvolution
from .byte_decoder import ByteTransformerDecoder
from .byte_encoder import ByteTransformerEncoder
from .layer_wrapping import wrap_layer
from .options.byte_transformer import ByteTransformerConfig, check_config, complete


@register_model("byte_transformer", dataclass=ByteTransformerConfig)
class ByteTransformerModel(TransformerModelBase):
    """Encoder-decoder Transformer for byte and character sequences.

    With dense embedders its parameters and outputs equal those of fairseq's
    ``transformer``.
    """

    @classmethod
    def add_args(cls, parser):
        """Add the flags; those not given are left to ``--arch``."""
        gen_parser_from_dataclass(parser, ByteTransformerConfig(), delete_default=True)

    @classmethod
    def build_model(cls, cfg, task):
        """Build a model for the dictionaries of ``task``.

        Args:
            cfg (ByteTransformerConfig)
            task (FairseqTask): gives ``source_dictionary``, ``target_dictionary`` and,
                for a mixture, ``source_words()``.

        Raises:
            ValueError: options that contradict each other.
        """
        src_dict, tgt_dict = task.source_dictionary, task.target_dictionary
        cfg = complete(cfg)
        check_config(cfg, src_dict, tgt_dict)
        if cfg.encoder_embedder == "mixture":
            cfg.source_words = task.source_words()
        encoder_embedder = EMBEDDERS[cfg.encoder_embedder].build(
            cfg, src_dict, cfg.encoder_embed_dim
        )
        if cfg.freeze_composer:
            is_mixture = cfg.encoder_embedder == "mixture"
            (encoder_embedder.composer if is_mixture else encoder_embedder).freeze()
        decoder_embedder = (
            encoder_embedder
            if cfg.share_all_embeddings
            else EMBEDDERS[cfg.decoder_embedder].build(cfg, tgt_dict, cfg.decoder_embed_dim)
        )
        # fairseq's base classes read a nested config.
        nested = TransformerConfig.from_namespace(cfg)
        nested.decoder.input_dim = nested.decoder.output_dim = cfg.decoder_embed_dim
        nested.share_decoder_input_output_embed |= cfg.share_all_embeddings
        nested.checkpoint_activations |= cfg.offload_activations
        encoder = cls.build_encoder(cfg, nested, src_dict, encoder_embedder)
        decoder = ByteTransformerDecoder(nested, tgt_dict, decoder_embedder)
        return cls(nested, encoder, decoder)

    @classmethod
    def build_encoder(cls, cfg, nested, src_dict, embedder):
        """The encoder with the fusion that ``cfg`` names.

        Args:
            cfg (Namespace): flat options.
            nested (TransformerConfig): the same as fairseq's base classes read them.
            src_dict (fairseq.data.Dictionary)
            embedder (nn.Module)
        """
        if cfg.encoder_fusion == "none":
            return ByteTransformerEncoder(nested, src_dict, embedder)
        fusion_class = FUSIONS[cfg.encoder_fusion]
        fusion = fusion_class.build(cfg, src_dict, partial(wrap_layer, cfg=nested))
        shallow_layers = cfg.fusion_layers
        if fusion_class.owns_layers:
            nested = copy.deepcopy(nested)
            nested.encoder.layers -= cfg.fusion_layers
            shallow_layers = 0
        return ByteTransformerEncoder(nested, src_dict, embedder, fusion, shallow_layers)

    def ngram_weights(self):
        """dict of int to float: the weight of each window size, with ncf only."""
        fusion = self.encoder.fusion
        if not isinstance(fusion, NgramConvolution):
            return {}
        return dict(zip(fusion.kernels, fusion.lambdas().tolist()))

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
    "byte_transformer_char2subword_paper",
    encoder_embedder="char2subword",
    char_embed_dim=char2subword.PAPER["char_dim"],
    char2subword_layers=char2subword.PAPER["layers"],
    char2subword_heads=char2subword.PAPER["heads"],
)
