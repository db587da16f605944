import pytest
import torch
from fairseq.models import ARCH_CONFIG_REGISTRY, ARCH_MODEL_INV_REGISTRY
from fairseq.models.transformer import TransformerConfig, TransformerModelBase
from fairseq.search import DiverseBeamSearch, DiverseSiblingsSearch
from fairseq.sequence_generator import SequenceGenerator

from fairseq_bytefusion.models.byte_transformer import ByteTransformerModel
from fairseq_bytefusion.modules.embedders import EMBEDDERS
from fairseq_bytefusion.modules.transformer_layer import DecoderLayer

from ..helpers import SENTENCES, DictionaryTask, build_model, model_args, pad_batch

WIDE = {  # the tiny model, wide enough for one-hot
    f"{side}_{name}": value
    for side in ("encoder", "decoder")
    for name, value in (("embed_dim", 264), ("ffn_embed_dim", 64))
}
EMBEDDER_PAIRS = [(e, d) for e in EMBEDDERS for d in ("dense", "one-hot")]


def embedder_model(encoder, decoder, **overrides):
    return build_model(
        encoder_embedder=encoder, decoder_embedder=decoder, **{**WIDE, **overrides}
    )


# --- parity with fairseq's own transformer -------------------------------------


def stock_transformer(args, seed=5):
    torch.manual_seed(seed)
    nested = TransformerConfig.from_namespace(args)
    nested.decoder.input_dim = nested.decoder.output_dim = nested.decoder.embed_dim
    model = TransformerModelBase.build_model(nested, DictionaryTask())
    # Random biases and norms too, so that nothing is left out of the comparison.
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
        for table in (model.encoder.embed_tokens, model.decoder.embed_tokens):
            table.weight[1] = 0
    # fairseq 0.12.2 has a fused path in eval mode that current torch refuses.
    for layer in model.encoder.layers:
        layer.can_use_fastpath = False
    return model.eval()


PARITY = {
    "post_norm": {},
    "pre_norm": {"encoder_normalize_before": True, "decoder_normalize_before": True},
    "shared": {"share_all_embeddings": True},
    "tied": {"share_decoder_input_output_embed": True},
    "gelu": {"activation_fn": "gelu", "layernorm_embedding": True},
    "learned": {"encoder_learned_pos": True, "decoder_learned_pos": True},
    "unscaled": {"no_scale_embedding": True, "no_token_positional_embeddings": True},
    "narrow_decoder": {"decoder_embed_dim": 16, "decoder_ffn_embed_dim": 24},
}


@pytest.mark.parametrize("options", PARITY.values(), ids=PARITY)
@pytest.mark.parametrize("left", [False, True])
def test_parity_with_fairseq(options, left):
    args = model_args(**options)
    theirs = stock_transformer(args)
    ours = build_model(**options)
    ours.load_state_dict(theirs.state_dict(), strict=True)
    theirs.load_state_dict(ours.state_dict(), strict=True)

    source = pad_batch([s for s in SENTENCES if s], left=left)
    target = pad_batch([s[::-1] for s in SENTENCES if s])
    previous = target.roll(1, 1)
    previous[:, 0] = 2
    with torch.no_grad():
        ours_out = ours(source, None, previous)[0]
        theirs_out = theirs(source, None, previous)[0]
        ours_enc, theirs_enc = ours.encoder(source), theirs.encoder(source)
    real = target != 1
    assert (ours_out - theirs_out)[real].abs().max() <= 1e-5
    kept = (source != 1).T
    assert ours_enc.keys() >= theirs_enc.keys() - {"fc_results"}
    for key in ("encoder_out", "encoder_embedding"):
        difference = ours_enc[key][0] - theirs_enc[key][0]
        mask = kept if key == "encoder_out" else kept.T
        assert difference[mask].abs().max() <= 1e-5
    assert torch.equal(ours_enc["src_lengths"][0], theirs_enc["src_lengths"][0])


@pytest.mark.parametrize("options", [{}, PARITY["pre_norm"]], ids=["post", "pre"])
def test_same_beams_as_fairseq(options):
    args = model_args(**options)
    theirs = stock_transformer(args)
    ours = build_model(**options)
    ours.load_state_dict(theirs.state_dict(), strict=True)
    source = pad_batch([s for s in SENTENCES if s])
    sample = {"net_input": {"src_tokens": source, "src_lengths": (source != 1).sum(1)}}
    dictionary = DictionaryTask().target_dictionary
    found = []
    for model in (ours, theirs):
        generator = SequenceGenerator([model], dictionary, beam_size=5, max_len_b=30)
        found.append(generator.generate([model], sample))
    for ours_beam, theirs_beam in zip(*found):
        assert [h["tokens"].tolist() for h in ours_beam] == [
            h["tokens"].tolist() for h in theirs_beam
        ]
        for a, b in zip(ours_beam, theirs_beam):
            assert abs(a["score"] - b["score"]) <= 1e-4


@pytest.mark.parametrize(
    "search",
    [
        None,
        DiverseBeamSearch(DictionaryTask().target_dictionary, 2, 0.5),
        DiverseSiblingsSearch(DictionaryTask().target_dictionary, 0.5),
    ],
    ids=["beam", "groups", "siblings"],
)
def test_same_beams_in_an_ensemble_with_fairseqs_model(search):
    args = model_args()
    first, second = stock_transformer(args, seed=5), stock_transformer(args, seed=6)
    ours = build_model()
    ours.load_state_dict(first.state_dict(), strict=True)
    source = pad_batch([s for s in SENTENCES if s])
    sample = {"net_input": {"src_tokens": source, "src_lengths": (source != 1).sum(1)}}
    dictionary = DictionaryTask().target_dictionary
    found = []
    for models in ([ours, second], [first, second]):
        generator = SequenceGenerator(
            models, dictionary, beam_size=4, max_len_b=25, search_strategy=search
        )
        beams = generator.generate(models, sample)
        found.append([[h["tokens"].tolist() for h in beam] for beam in beams])
    assert found[0] == found[1]


def test_training_gradients_equal_fairseqs():
    args = model_args(dropout=0.0)
    theirs, ours = stock_transformer(args), build_model(dropout=0.0)
    ours.load_state_dict(theirs.state_dict(), strict=True)
    source, target = pad_batch(SENTENCES[:5]), pad_batch(SENTENCES[1:6])
    for model in (ours, theirs):
        model.train()
        logits = model(source, None, target)[0]
        torch.nn.functional.cross_entropy(
            logits.transpose(1, 2), target, ignore_index=1
        ).backward()
    expected = dict(theirs.named_parameters())
    for name, parameter in ours.named_parameters():
        assert (parameter.grad - expected[name].grad).abs().max() <= 1e-5, name


# --- invariants ----------------------------------------------------------------


@pytest.mark.parametrize(("encoder", "decoder"), EMBEDDER_PAIRS)
def test_batch_invariance(encoder, decoder):
    model = embedder_model(encoder, decoder)
    for left in (False, True):
        batch = pad_batch(SENTENCES, left=left, extra=3)
        with torch.no_grad():
            together = model.encoder(batch)["encoder_out"][0].transpose(0, 1)
        for i, sentence in enumerate(SENTENCES):
            with torch.no_grad():
                alone = model.encoder(pad_batch([sentence]))["encoder_out"][0][:, 0]
            assert (together[i][batch[i] != 1] - alone).abs().max() <= 1e-5


@pytest.mark.parametrize("left", [False, True])
def test_decoder_ignores_padding(left):
    model = build_model()
    memory = model.encoder(pad_batch(["abc", "abc"]))
    batch = pad_batch(["xyz", "longer than that"], left=left, extra=2)
    single = pad_batch(["xyz"])
    with torch.no_grad():
        together = model.decoder(batch, memory)[0][0][batch[0] != 1]
        alone = model.decoder(single, model.encoder(pad_batch(["abc"])))[0][0]
    assert (together - alone).abs().max() <= 1e-5


@pytest.mark.parametrize(("encoder", "decoder"), EMBEDDER_PAIRS)
def test_every_parameter_gets_a_gradient(encoder, decoder):
    model = embedder_model(encoder, decoder).train()
    source = pad_batch(SENTENCES)
    model(source, None, source)[0].logsumexp(-1).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name


def test_a_row_of_padding_is_finite():
    model = build_model()
    batch = torch.cat([pad_batch(["abc"]), torch.ones(1, 4, dtype=torch.long)])
    memory = model.encoder(batch)
    out = model.decoder(batch, memory)[0]
    assert memory["encoder_out"][0].isfinite().all()
    assert out.isfinite().all()
    out.sum().backward()
    assert all(p.grad.isfinite().all() for p in model.parameters())


def test_decoder_does_not_see_the_future():
    model = build_model()
    memory = model.encoder(pad_batch(["abc"]))
    with torch.no_grad():
        first = model.decoder(pad_batch(["abcd"]), memory)[0]
        second = model.decoder(pad_batch(["abXY"]), memory)[0]
    assert torch.equal(first[:, :2], second[:, :2])
    assert not torch.equal(first[:, 2:], second[:, 2:])


@pytest.mark.parametrize(
    "options",
    [
        {"checkpoint_activations": True},
        {"decoder_layerdrop": 0.5, "encoder_layerdrop": 0.5},
    ],
)
def test_checkpointing_and_layerdrop_change_no_evaluation(options):
    plain, changed = build_model(), build_model(**options)
    changed.load_state_dict(plain.state_dict())
    batch = pad_batch(SENTENCES)
    with torch.no_grad():
        expected = plain(batch, None, batch)[0]
        assert torch.allclose(changed(batch, None, batch)[0], expected, atol=1e-6)
    changed.train()
    changed(batch, None, batch)[0].sum().backward()


def test_attention_weights_on_demand():
    model = build_model()
    batch = pad_batch(["abc", "a"])
    memory = model.encoder(batch)
    assert model.decoder(batch, memory)[1]["attn"] == [None]
    weights = model.decoder(batch, memory, alignment_layer=1)[1]["attn"][0]
    assert weights.shape == (2, 4, 4)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 4))
    assert (weights[1, :, 2:] == 0).all()
    model.make_generation_fast_(need_attn=True)
    assert torch.equal(model.decoder(batch, memory)[1]["attn"][0], weights)


# --- one-hot -------------------------------------------------------------------


def test_one_hot_has_no_table_and_no_dropout_at_its_ends():
    model = embedder_model("one-hot", "one-hot", dropout=0.5).train()
    names = [name for name, _ in model.named_parameters()]
    assert "encoder.embed_tokens.scale" in names
    assert "decoder.output_projection.scale" in names
    assert not [n for n in names if "embed_tokens.weight" in n]
    batch = pad_batch(SENTENCES)
    first, second = (model.encoder.forward_embedding(batch)[0] for _ in range(2))
    assert torch.equal(first, second)
    x = model.decoder.forward_embedding(batch)[0]
    assert (x == 0).float().mean() > 0.3  # dropout on the decoder's input stays
    layers = [m for m in model.modules() if isinstance(m, DecoderLayer)]
    assert [layer.dropout_on_output for layer in layers] == [True, False]


def test_last_layer_without_output_dropout_drops_nothing_after_its_ffn():
    layer = DecoderLayer(8, 16, 2, 8, dropout=1.0, dropout_on_output=False).train()
    x, memory = torch.randn(1, 3, 8), torch.randn(1, 2, 8)
    # Dropout 1 silences the attention blocks; the FFN's output must survive.
    state = layer.encoder_attn_layer_norm(layer.self_attn_layer_norm(x))
    expected = layer.final_layer_norm(state + layer.feed_forward(state))
    assert torch.allclose(layer(x, memory)[0], expected, atol=1e-6)
    layer.dropout_on_output = True
    assert torch.allclose(layer(x, memory)[0], layer.final_layer_norm(state), atol=1e-6)


# --- options -------------------------------------------------------------------

WRONG = {
    "narrow encoder": (
        {"encoder_embedder": "one-hot"},
        "--encoder-embed-dim from 32 to at least 260",
    ),
    "narrow decoder": (
        {"decoder_embedder": "one-hot"},
        "--decoder-embed-dim from 32 to at least 260",
    ),
    "shared one-hot": (
        {**WIDE, "encoder_embedder": "one-hot", "share_all_embeddings": True},
        "drop --share-all-embeddings",
    ),
    "shared one-hot decoder": (
        {**WIDE, "decoder_embedder": "one-hot", "share_all_embeddings": True},
        "drop --share-all-embeddings",
    ),
    "tied one-hot": (
        {**WIDE, "decoder_embedder": "one-hot", "share_decoder_input_output_embed": True},
        "drop --share-decoder-input-output-embed",
    ),
    "shared widths": (
        {"share_all_embeddings": True, "decoder_embed_dim": 16},
        r"--encoder-embed-dim \(32\) equal to --decoder-embed-dim \(16\)",
    ),
    "heads": ({"encoder_attention_heads": 5}, "32 is not a multiple of --encoder-att"),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_contradictions_name_the_flag_to_change(options, message):
    with pytest.raises(ValueError, match=message):
        build_model(**options)


def test_share_all_needs_one_dictionary():
    from fairseq.data import Dictionary

    task = DictionaryTask(source=Dictionary())
    with pytest.raises(ValueError, match="one dictionary"):
        ByteTransformerModel.build_model(model_args(share_all_embeddings=True), task)


PRESETS = {
    "byte_transformer": (6, 6, 512, 2048, 8),
    "byte_transformer_iwslt": (6, 6, 512, 1024, 4),
    "byte_transformer_small": (3, 2, 128, 512, 4),
    "byte_transformer_tiny": (2, 2, 32, 64, 2),
}


def test_every_preset_is_tested():
    assert set(ARCH_MODEL_INV_REGISTRY["byte_transformer"]) == set(PRESETS)


@pytest.mark.parametrize("arch", PRESETS)
def test_presets(arch):
    args = model_args(arch)
    encoder_layers, decoder_layers, *widths = PRESETS[arch]
    assert (args.encoder_layers, args.decoder_layers) == (encoder_layers, decoder_layers)
    for side in ("encoder", "decoder"):
        names = ("embed_dim", "ffn_embed_dim", "attention_heads")
        assert [getattr(args, f"{side}_{name}") for name in names] == widths


@pytest.mark.parametrize("arch", PRESETS)
def test_presets_lose_to_flags(arch):
    args = model_args(arch, encoder_layers=9, decoder_embed_dim=72, dropout=0.7)
    assert (args.encoder_layers, args.decoder_embed_dim, args.dropout) == (9, 72, 0.7)
    assert arch in ARCH_CONFIG_REGISTRY
