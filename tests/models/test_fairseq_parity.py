import pytest
import torch
from fairseq.models.transformer import TransformerConfig, TransformerModelBase
from fairseq.search import DiverseBeamSearch, DiverseSiblingsSearch
from fairseq.sequence_generator import SequenceGenerator

from ..helpers import SENTENCES, DictionaryTask, build_model, model_args, pad_batch


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
