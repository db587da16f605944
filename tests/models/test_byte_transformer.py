import pytest
import torch
from fairseq.models import ARCH_CONFIG_REGISTRY, ARCH_MODEL_INV_REGISTRY
from fairseq.models.transformer import TransformerConfig, TransformerModelBase
from fairseq.search import DiverseBeamSearch, DiverseSiblingsSearch
from fairseq.sequence_generator import SequenceGenerator
from omegaconf import OmegaConf

from fairseq_bytefusion.models.byte_transformer import ByteTransformerModel
from fairseq_bytefusion.models.config import complete
from fairseq_bytefusion.modules.embedders import EMBEDDERS, TOKEN_EMBEDDERS
from fairseq_bytefusion.modules.fusion import FUSIONS
from fairseq_bytefusion.modules.transformer_layer import DecoderLayer

from ..helpers import SENTENCES, DictionaryTask, build_model, model_args, pad_batch

WIDE = {  # the tiny model, wide enough for one-hot
    f"{side}_{name}": value
    for side in ("encoder", "decoder")
    for name, value in (("embed_dim", 264), ("ffn_embed_dim", 64))
}
FUSION_OPTIONS = {
    "none": {},
    "ncf": {"encoder_fusion": "ncf"},
    "ncf last": {"encoder_fusion": "ncf", "fusion_layers": 2, "ncf_unigram": "identity"},
    "wsf": {"encoder_fusion": "wsf", "wsf_max_word": 8},
    "wsf only": {"encoder_fusion": "wsf", "fusion_layers": 2, "wsf_boundary": "script"},
    "wsf none": {"encoder_fusion": "wsf", "fusion_layers": 0},
}
COMPOSER_OPTIONS = {
    "char2subword": {"char_embed_dim": 16},
    "char-cnn": {"char_cnn_filters": "1:8,3:8,7:8", "max_word_chars": 9},
    "char-rnn": {"char_embed_dim": 16, "char_rnn_hidden_dim": 8},
    "mixture": {"char_embed_dim": 16},
    "concat": {
        "encoder_embedder": "mixture",
        "mixture": "concat",
        "mixture_composer": "char-cnn",
        "char_cnn_filters": "1:8,3:8",
    },
    "hybrid": {
        "encoder_embedder": "mixture",
        "mixture": "hybrid",
        "mixture_composer": "char-rnn",
    },
}
ENCODERS = {  # every embedder with every fusion it can have
    f"{embedder} {fusion}": {"encoder_embedder": embedder, **options}
    for embedder in TOKEN_EMBEDDERS
    for fusion, options in FUSION_OPTIONS.items()
}
ENCODERS.update(
    (name, {"encoder_embedder": name, **options})
    for name, options in COMPOSER_OPTIONS.items()
)
# A model of each fusion and of each composer, with all else as in the tiny model.
SYSTEMS = {**FUSION_OPTIONS, **{name: ENCODERS[name] for name in COMPOSER_OPTIONS}}


def embedder_model(encoder, decoder, **overrides):
    return build_model(
        **{**WIDE, "encoder_embedder": encoder, "decoder_embedder": decoder, **overrides}
    )


def test_every_embedder_is_among_the_options():
    assert {o["encoder_embedder"] for o in ENCODERS.values()} == set(EMBEDDERS)


def test_every_fusion_is_among_the_options():
    assert {o.get("encoder_fusion", "none") for o in FUSION_OPTIONS.values()} == {
        "none",
        *FUSIONS,
    }


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


def encoded(model, batch):
    """The encoder's states of each sentence, without padding."""
    with torch.no_grad():
        memory = model.encoder(batch)
    padding_mask = memory["encoder_padding_mask"][0]
    lengths = memory["src_lengths"][0].flatten()
    assert torch.equal(lengths, (~padding_mask).sum(1).int())
    states = memory["encoder_out"][0].transpose(0, 1)
    return [row[~mask] for row, mask in zip(states, padding_mask)]


@pytest.mark.parametrize("options", ENCODERS.values(), ids=ENCODERS)
def test_batch_invariance(options):
    model = build_model(**{**WIDE, **options})
    alone = [encoded(model, pad_batch([sentence]))[0] for sentence in SENTENCES]
    for left in (False, True):
        together = encoded(model, pad_batch(SENTENCES, left=left, extra=3))
        for ours, expected in zip(together, alone):
            assert ours.shape == expected.shape
            assert (ours - expected).abs().max() <= 1e-5


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


@pytest.mark.parametrize("options", ENCODERS.values(), ids=ENCODERS)
@pytest.mark.parametrize("decoder", TOKEN_EMBEDDERS)
def test_every_parameter_gets_a_gradient(options, decoder):
    model = build_model(**{**WIDE, "decoder_embedder": decoder, **options}).train()
    source = pad_batch(SENTENCES)
    model(source, None, source)[0].logsumexp(-1).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name


@pytest.mark.parametrize("options", SYSTEMS.values(), ids=SYSTEMS)
def test_a_row_of_padding_is_finite(options):
    model = build_model(**options)
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
    model.decoder.make_generation_fast_(need_attn=True)
    assert torch.equal(model.decoder(batch, memory)[1]["attn"][0], weights)


# --- fusion ----------------------------------------------------------------------


@pytest.mark.parametrize("fusion", FUSION_OPTIONS.values(), ids=FUSION_OPTIONS)
def test_checkpointed_layers_give_the_same_gradients(fusion):
    batch, found = pad_batch(SENTENCES), []
    for checkpointed in (False, True):
        model = build_model(checkpoint_activations=checkpointed, dropout=0.0, **fusion)
        model.double().train()
        model(batch, None, batch)[0].logsumexp(-1).sum().backward()
        found.append({name: p.grad for name, p in model.named_parameters()})
    assert found[0].keys() == found[1].keys()
    for name, gradient in found[0].items():
        assert torch.allclose(gradient, found[1][name], atol=1e-9), name


@pytest.mark.parametrize("options", SYSTEMS.values(), ids=SYSTEMS)
def test_bfloat16(options):
    model = build_model(**options)
    batch = pad_batch(SENTENCES, left=True)
    expected = model(batch, None, batch)[0]
    found = model.bfloat16()(batch, None, batch)[0]
    assert found.dtype == torch.bfloat16
    assert (found.float() - expected).abs().max() < 0.25


@pytest.mark.parametrize("fusion", FUSION_OPTIONS.values(), ids=FUSION_OPTIONS)
@pytest.mark.parametrize("pre_norm", [False, True])
def test_automatic_mixed_precision(fusion, pre_norm):
    model = build_model(encoder_normalize_before=pre_norm, **fusion).train()
    batch = pad_batch(SENTENCES)
    with torch.autocast("cpu", torch.bfloat16):
        loss = model(batch, None, batch)[0].logsumexp(-1).mean()
    loss.backward()
    assert all(p.grad.isfinite().all() for p in model.parameters())


def test_encoder_layers_count_those_inside_the_fusion():
    for layers in range(4):
        options = {"encoder_layers": 3, "fusion_layers": layers}
        wsf = build_model(encoder_fusion="wsf", **options).encoder
        assert (len(wsf.fusion.layers), len(wsf.layers)) == (layers, 3 - layers)
        ncf = build_model(encoder_fusion="ncf", **options).encoder
        assert (ncf.shallow_layers, len(ncf.layers)) == (layers, 3)


@pytest.mark.parametrize(
    ("layers", "default"), [(1, 1), (2, 1), (3, 2), (4, 3), (6, 4), (9, 4)]
)
def test_default_number_of_fusion_layers(layers, default):
    cfg = complete(model_args(encoder_layers=layers, encoder_fusion="ncf"))
    assert cfg.fusion_layers == default


def test_wsf_without_layers_is_no_fusion():
    plain, empty = build_model(), build_model(encoder_fusion="wsf", fusion_layers=0)
    empty.load_state_dict(plain.state_dict(), strict=True)
    batch = pad_batch(SENTENCES)
    with torch.no_grad():
        assert torch.equal(plain(batch, None, batch)[0], empty(batch, None, batch)[0])


def test_the_shallow_layers_come_before_ncf():
    model = build_model(encoder_fusion="ncf", fusion_layers=1)
    batch = pad_batch(["abc"])
    encoder = model.encoder
    x, _, padding_mask = encoder.forward_embedding(batch)
    x = encoder.layers[0](x)
    x = encoder.layers[1](encoder.fusion(x, batch, padding_mask))
    assert torch.allclose(x.transpose(0, 1), encoder(batch)["encoder_out"][0], atol=1e-6)


def test_ngram_weights_are_readable():
    model = build_model(encoder_fusion="ncf", ncf_kernels="1,3")
    assert model.ngram_weights() == {1: 0.5, 3: 0.5}
    assert build_model().ngram_weights() == {}


def test_checkpoints_older_than_an_option_get_its_default():
    args = model_args()
    for name in ("encoder_fusion", "wsf_max_word", "fusion_layers"):
        delattr(args, name)
    ByteTransformerModel.build_model(args, DictionaryTask())


def test_dropout_can_be_retained_in_inference():
    model = build_model(dropout=0.5)
    cfg = OmegaConf.create(
        {"generation": {"retain_dropout": True, "retain_dropout_modules": None}}
    )
    model.prepare_for_inference_(cfg)
    batch = pad_batch(["abc"])
    assert not torch.equal(model(batch, None, batch)[0], model(batch, None, batch)[0])


# --- word composers ----------------------------------------------------------------


@pytest.mark.parametrize("name", COMPOSER_OPTIONS)
def test_encoder_of_words(name):
    model = build_model(**ENCODERS[name])
    batch = pad_batch(["two  words", "one", ""], left=True)
    memory = model.encoder(batch, return_all_hiddens=True)
    assert memory["encoder_padding_mask"][0].tolist() == [
        [False, False, False],
        [False, False, True],
        [False, True, True],
    ]
    assert memory["src_lengths"][0].tolist() == [[3], [2], [1]]
    assert {s.shape[:2] for s in memory["encoder_states"]} == {(3, 3)}
    positions = model.encoder.embed_positions
    x, embedded, _ = model.encoder.forward_embedding(batch)
    assert torch.allclose((x - embedded)[0], positions.weights[2:5], atol=1e-6)
    weights = model.decoder(batch, memory, alignment_layer=1)[1]["attn"][0]
    assert (weights[1, :, 2:] == 0).all()
    assert (weights[2, :, 1:] == 0).all()


@pytest.mark.parametrize("name", COMPOSER_OPTIONS)
def test_beams_over_words_do_not_depend_on_the_batch(name):
    model = build_model(**ENCODERS[name])
    generator = SequenceGenerator(
        [model], DictionaryTask().target_dictionary, beam_size=3, max_len_b=12
    )

    def beams(batch):
        sample = {"net_input": {"src_tokens": batch, "src_lengths": (batch != 1).sum(1)}}
        found = generator.generate([model], sample)
        return [[(h["tokens"].tolist(), h["score"]) for h in beam] for beam in found]

    together = beams(pad_batch(SENTENCES, left=True))
    for sentence, beam in zip(SENTENCES, together):
        (alone,) = beams(pad_batch([sentence]))
        for (tokens, score), (expected, expected_score) in zip(beam, alone):
            assert tokens == expected
            assert abs(score - expected_score) <= 1e-4


@pytest.mark.parametrize("name", COMPOSER_OPTIONS)
def test_state_dicts_of_composers_load(name):
    first, second = (build_model(seed=seed, **ENCODERS[name]) for seed in (1, 2))
    second.load_state_dict(first.state_dict(), strict=True)
    batch = pad_batch(SENTENCES)
    with torch.no_grad():
        assert torch.equal(first(batch, None, batch)[0], second(batch, None, batch)[0])


@pytest.mark.parametrize("name", COMPOSER_OPTIONS)
def test_composers_are_not_scaled(name):
    options = ENCODERS[name]
    plain, unscaled = (
        build_model(**options),
        build_model(no_scale_embedding=True, **options),
    )
    batch = pad_batch(["a b"])
    assert torch.equal(*(m.encoder.embed_tokens(batch)[0] for m in (plain, unscaled)))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"encoder_embedder": "char2subword"}, 256),
        ({"encoder_embedder": "char-rnn"}, 50),
        ({"encoder_embedder": "char-cnn"}, 15),
        ({"encoder_embedder": "char-cnn", "char_cnn_filters": "elmo"}, 16),
        ({"encoder_embedder": "char-cnn", "char_cnn_filters": "1:5"}, 15),
        ({"encoder_embedder": "char-cnn", "char_embed_dim": 7}, 7),
        ({"encoder_embedder": "mixture", "mixture_composer": "char-rnn"}, 50),
        ({}, None),
    ],
)
def test_width_of_character_embeddings(options, expected):
    assert complete(model_args(**options)).char_embed_dim == expected


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
    "too many fusion layers": (
        {"encoder_fusion": "ncf", "fusion_layers": 3},
        "--fusion-layers 3 must lie between 0 and --encoder-layers 2",
    ),
    "layerdrop": (
        {"encoder_fusion": "wsf", "encoder_layerdrop": 0.1},
        "drop --encoder-layerdrop 0.1",
    ),
    "short words": ({"encoder_fusion": "wsf", "wsf_max_word": 3}, "--wsf-max-word 3"),
    "kernels": ({"encoder_fusion": "ncf", "ncf_kernels": "1,x"}, "--ncf-kernels '1,x'"),
    "no kernel": ({"encoder_fusion": "ncf", "ncf_kernels": "0"}, "from 1 on"),
    "identity": (
        {"encoder_fusion": "ncf", "ncf_kernels": "2", "ncf_unigram": "identity"},
        "--ncf-kernels 2 lacks",
    ),
    "no decoder": ({"decoder_layers": 0}, "--decoder-layers 0 must be at least 1"),
    "idle ncf flag": ({"ncf_weights": "softmax"}, "--ncf-weights softmax does nothing"),
    "idle wsf flag": (
        {"encoder_fusion": "ncf", "wsf_max_word": 9},
        "--wsf-max-word 9 does nothing without --encoder-fusion wsf",
    ),
    "idle layers": ({"fusion_layers": 1}, "--fusion-layers 1 does nothing"),
    "heads": ({"encoder_attention_heads": 5}, "32 is not a multiple of --encoder-att"),
    "ncf of words": (
        {"encoder_embedder": "char-rnn", "encoder_fusion": "ncf"},
        "--encoder-fusion ncf .* --encoder-embedder char-rnn gives one a word: drop either",
    ),
    "wsf of words": (
        {"encoder_embedder": "char2subword", "encoder_fusion": "wsf"},
        "--encoder-fusion wsf .* --encoder-embedder char2subword gives one a word",
    ),
    "shared composer": (
        {"encoder_embedder": "char-cnn", "share_all_embeddings": True},
        "with --encoder-embedder char-cnn drop that flag",
    ),
    "idle option": (
        {"char_cnn_filters": "elmo", "encoder_embedder": "char-rnn"},
        "--char-cnn-filters elmo does nothing with --encoder-embedder char-rnn: "
        "drop that flag, or choose char-cnn",
    ),
    "idle width": ({"char_embed_dim": 16}, "choose char2subword or char-cnn or char-rnn"),
    "idle limit": ({"max_word_chars": 20}, "--max-word-chars 20 does nothing"),
    "no characters": (
        {"encoder_embedder": "char-rnn", "max_word_chars": 0},
        "--max-word-chars 0 must be at least 1",
    ),
    "character heads": (
        {"encoder_embedder": "char2subword", "char_embed_dim": 18},
        "--char-embed-dim 18 must be even and a multiple of --char2subword-heads 4",
    ),
    "fused mixture": (
        {"encoder_embedder": "mixture", "encoder_fusion": "ncf"},
        "--encoder-embedder mixture gives one a word",
    ),
    "idle mixture": (
        {"encoder_embedder": "char-rnn", "mixture": "hybrid"},
        "--mixture hybrid does nothing with --encoder-embedder char-rnn: drop that flag, "
        "or choose mixture",
    ),
    "idle composer": (
        {"encoder_embedder": "mixture", "char_rnn_hidden_dim": 9},
        "does nothing with --encoder-embedder mixture --mixture-composer char2subword: "
        "drop that flag, or choose char-rnn",
    ),
    "filters": (
        {"encoder_embedder": "char-cnn", "char_cnn_filters": "huge"},
        "--char-cnn-filters huge: .* nor a list",
    ),
    "wide filters": (
        {"encoder_embedder": "char-cnn", "char_cnn_style": "fairseq", "max_word_chars": 5},
        "--char-cnn-filters kim-large: no filter may be wider",
    ),
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
    "byte_transformer_char2subword_paper": (6, 6, 512, 2048, 8),
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


def test_char2subword_preset():
    args = model_args("byte_transformer_char2subword_paper")
    assert args.encoder_embedder == "char2subword"
    found = (args.char2subword_layers, args.char_embed_dim, args.char2subword_heads)
    assert found == (6, 768, 12)


@pytest.mark.parametrize("arch", PRESETS)
def test_presets_lose_to_flags(arch):
    args = model_args(arch, encoder_layers=9, decoder_embed_dim=72, dropout=0.7)
    assert (args.encoder_layers, args.decoder_embed_dim, args.dropout) == (9, 72, 0.7)
    assert arch in ARCH_CONFIG_REGISTRY
