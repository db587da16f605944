"""Layers with softmax attention, for tests."""

from functools import partial

from fairseq_bytefusion.modules.attention import MultiheadAttention
from fairseq_bytefusion.modules.transformer_layer import DecoderLayer, EncoderLayer


def encoder_layer(dim, ffn_dim, num_heads, **options):
    attention = partial(MultiheadAttention, dim, num_heads)
    return EncoderLayer(attention, dim, ffn_dim, **options)


def decoder_layer(dim, ffn_dim, num_heads, encoder_dim, **options):
    attention = partial(MultiheadAttention, dim, num_heads)
    to_encoder = partial(attention, kdim=encoder_dim)
    return DecoderLayer(attention, to_encoder, dim, ffn_dim, **options)
