"""A ``byte_transformer`` as a model of CTranslate2, an inference engine in C++.

What that engine computes is fairseq's ``transformer``: embeddings, positions, layers of
softmax attention, an output projection. A model that is that, once the embedders are
written as tables, has its weights taken over by CTranslate2's own converter; others are
refused, by the name of the option that makes them so.
"""

import copy
import importlib
import json

import torch
import torch.nn as nn

from ..compat.transformers import hide_broken_torchaudio
from .folders import publishing_folder

#: CTranslate2's names of how weights may be kept
QUANTIZATIONS = (
    *("int8", "int8_float32", "int8_float16", "int8_bfloat16"),
    *("int16", "float16", "bfloat16", "float32"),
)
# fairseq's names of activation functions, and CTranslate2's
_ACTIVATIONS = {
    "relu": "RELU",
    "gelu": "GELU",
    "gelu_accurate": "GELUTanh",
    "gelu_fast": "GELUTanh",
    "swish": "SWISH",
}
#: of the options of a model, what may be expressed
EXPRESSIBLE = {
    "encoder_embedder": ("dense", "one-hot"),
    "decoder_embedder": ("dense", "one-hot"),
    "encoder_fusion": ("none",),
    "decoder_fusion": ("none",),
    "encoder_attention": ("softmax",),
    "decoder_attention": ("softmax",),
    "cross_attention": ("softmax",),
    "activation_fn": tuple(_ACTIVATIONS),
    "no_token_positional_embeddings": (False,),
}


def export_to_ctranslate2(model, task, path, quantization=None, overwrite=False):
    """Write a directory that ``ctranslate2.Translator`` opens.

    Beside the engine's own files it has ``bytefusion.json``, which says what text is in
    symbols: the units of both sides, what a source and a translation begin with, and the
    longest source.

    Args:
        model (ByteTransformerModel): on any device; it stays as it is.
        task (ByteTranslationTask): the checkpoint's.
        path (str)
        quantization (str, optional): of :data:`QUANTIZATIONS`; float32 by default.
        overwrite (bool): replace what an export wrote at ``path`` before.

    Raises:
        OSError: ``path`` exists and is kept, or cannot be written.
        ValueError: the model cannot be expressed, or the package ctranslate2 is missing.
    """
    check_expressible(model)
    engine = _import_engine()
    with torch.no_grad():
        spec = _spec_of(copy.deepcopy(model).float().cpu(), task, engine)
    spec.validate()
    spec.optimize(quantization=quantization)
    with publishing_folder(path, "model.bin", overwrite) as folder:
        spec.save(str(folder))
        said = json.dumps(_reading(task), ensure_ascii=False, indent=2)
        (folder / "bytefusion.json").write_text(f"{said}\n", "utf-8")


def check_expressible(model):
    """Raise ValueError where CTranslate2 has no name for what a model (FairseqModel) is."""
    options = getattr(model, "options", None)
    if not hasattr(options, "decoder_embedder"):
        raise ValueError(
            f"CTranslate2 translates, and a {type(model).__name__} does not: give the "
            "checkpoint of a byte_transformer"
        )
    for name, allowed in EXPRESSIBLE.items():
        value = getattr(options, name)
        if value not in allowed:
            flag = f"--{name.replace('_', '-')}"
            what = flag if value is True else f"{flag} {value}"
            raise ValueError(
                f"CTranslate2 cannot express a model with {what}: translate with "
                "bytefusion translate, or train one with "
                + (f"{flag} {' or '.join(allowed)}" if allowed[0] else "positions")
            )


def _import_engine():
    hide_broken_torchaudio()  # its converters import transformers, if that is there
    try:
        return importlib.import_module("ctranslate2.converters.fairseq")
    except ImportError as error:
        raise ValueError(
            f"--to ctranslate2 needs the package ctranslate2 ({error}): pip install "
            "'fairseq_bytefusion[ctranslate2]'"
        ) from error


def _spec_of(model, task, engine):
    """The ``TransformerSpec`` of CTranslate2 for a model, its weights filled in."""
    specs, cfg = engine.transformer_spec, model.decoder.cfg
    activations = engine.common_spec.Activation
    made = []
    for side, cls in (
        ("encoder", specs.TransformerEncoderSpec),
        ("decoder", specs.TransformerDecoderSpec),
    ):
        shape, module = getattr(cfg, side), getattr(model, side)
        spec = cls(
            len(module.layers),
            shape.attention_heads,
            pre_norm=shape.normalize_before,
            activation=activations[_ACTIVATIONS[cfg.activation_fn]],
            layernorm_embedding=module.layernorm_embedding is not None,
            no_final_norm=module.layer_norm is None,
        )
        set_layer = getattr(engine, f"set_transformer_{side}_layer")
        for layer_spec, layer in zip(spec.layer, module.layers):
            set_layer(layer_spec, layer)
        for name in ("layer_norm", "layernorm_embedding"):
            if (norm := getattr(module, name)) is not None:
                engine.set_layer_norm(getattr(spec, name), norm)
        _set_entrance(spec, module)
        made.append(spec)
    engine.set_linear(made[1].projection, _output_of(model.decoder))
    spec = specs.TransformerSpec(*made)
    dictionaries = task.source_dictionary, task.target_dictionary
    for register, dictionary in zip(
        (spec.register_source_vocabulary, spec.register_target_vocabulary), dictionaries
    ):
        # The engine's own name of what pads.
        register(["<blank>" if s == "<pad>" else s for s in dictionary.symbols])
    spec.config.add_source_eos = True
    # A model of several targets is told at each call, by a prefix.
    single = len(task.target_langs) == 1
    spec.config.decoder_start_token = _begins(task)["target"] if single else None
    return spec


def _set_entrance(spec, module):
    """Symbols and positions as tables; whatever the embedder, it is a row a symbol."""
    symbols = torch.arange(len(module.dictionary))
    table = module.embed_tokens(symbols[None])[0][0]
    embeddings = spec.embeddings
    if isinstance(embeddings, list):
        embeddings = embeddings[0]
    embeddings.weight = table.contiguous().numpy()
    spec.scale_embeddings = False
    anything = torch.full((1, module.max_positions()), module.dictionary.eos())
    spec.position_encodings.encodings = module.embed_positions(anything)[0].numpy()


def _output_of(decoder):
    """The output projection as an ``nn.Linear``: that of one-hot models selects."""
    if isinstance(decoder.output_projection, nn.Linear):
        return decoder.output_projection
    width = decoder.output_embed_dim
    weight = decoder.output_projection(torch.eye(width)).t().contiguous()
    linear = nn.Linear(width, len(weight), bias=False)
    linear.weight.copy_(weight)
    return linear


def _begins(task):
    """dict: the symbols that a source and what the decoder reads begin with, or None.

    A side of several languages has a dict of language to symbol.
    """
    found = {}
    for side, dictionary, langs in (
        ("source", task.source_dictionary, task.source_langs),
        ("target", task.target_dictionary, task.target_langs),
    ):
        usual = None if side == "source" else dictionary[dictionary.eos()]
        tags = {
            lang: dictionary[dictionary.tags[lang]] for lang in langs if dictionary.tags
        }
        found[side] = tags or usual
        if len(langs) == 1 and tags:
            found[side] = tags[langs[0]]
    return found


def _reading(task):
    """dict: what ``bytefusion.json`` says."""
    return {
        "source_unit": task.source_dictionary.unit,
        "target_unit": task.target_dictionary.unit,
        "source_begins_with": _begins(task)["source"],
        "target_begins_with": _begins(task)["target"],
        "max_source_symbols": task.most_of_line,
    }
