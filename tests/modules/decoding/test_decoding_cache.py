"""A decoder with its cache against one that decodes every prefix anew."""

import pytest
import torch
from fairseq.sequence_generator import SequenceGenerator
from hypothesis import given, settings
from hypothesis import strategies as st

from fairseq_bytefusion.modules.decoding.beam_tree import BeamTree
from fairseq_bytefusion.modules.decoding.decoding_cache import DecodingCache
from fairseq_bytefusion.text import ByteDictionary

from ...helpers import build_model, pad_batch
from ...models.systems import ATTENTION_OPTIONS
from ...oracles.decoding import SlowDecoder
from .search import SOURCES, Search

MODELS = {
    "post_norm": {},
    "pre_norm": {"decoder_normalize_before": True},
    "learned": {"decoder_learned_pos": True},
    "narrow": {"decoder_embed_dim": 16, "decoder_ffn_embed_dim": 24},
    "one_hot": {"decoder_embedder": "one-hot", "decoder_embed_dim": 264},
    "one_hot_learned": {
        "decoder_embedder": "one-hot",
        "decoder_embed_dim": 264,
        "one_hot_output": "learned",
    },
    "checkpointed": {"checkpoint_activations": True},
    "msc": {"decoder_fusion": "msc"},
    **ATTENTION_OPTIONS,
    "fused past alone": {"decoder_attention": "fused", "decoder_embed_dim": 16},
}


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.no_grad():
        yield


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("options", MODELS.values(), ids=MODELS)
def test_beam_search_is_decoding_anew(options, left):
    torch.manual_seed(0)
    search = Search(build_model(**options), beam=3, left=left)
    for _ in range(30):
        search.step()
        search.reorder(search.beam_order())
    assert search.cache.tree.beam == 3


@settings(max_examples=25)
@given(
    data=st.data(),
    name=st.sampled_from(["plain", "msc", "fused"]),
    beam=st.integers(1, 4),
    seed=st.integers(0, 999),
)
def test_any_orders_are_decoding_anew(data, name, beam, seed):
    torch.manual_seed(seed)
    search = Search(MODELS_OF_ANY_ORDER[name], beam, sentences=4)
    for _ in range(data.draw(st.integers(1, 14))):
        with torch.no_grad():
            search.step()
        kind = data.draw(st.sampled_from(["beam", "same", "drop", "swap", "rows"]))
        sentences = search.num_rows // search.beam
        if kind == "beam":
            search.reorder(search.beam_order())
        elif kind == "same":
            search.reorder(torch.arange(search.num_rows))
        elif kind == "drop" and sentences > 1:
            kept = data.draw(
                st.sets(st.integers(0, sentences - 1), min_size=1, max_size=sentences - 1)
            )
            search.reorder(search.beam_order(sorted(kept)))
        elif kind == "swap":
            order = torch.arange(search.num_rows).view(sentences, -1)
            search.reorder(order[torch.randperm(sentences)].flatten())
        elif kind == "rows":
            search.reorder(torch.randint(search.num_rows, (search.num_rows,)))


TINY = build_model()
MODELS_OF_ANY_ORDER = {
    "plain": TINY,
    "msc": build_model(decoder_fusion="msc"),
    "fused": build_model(decoder_attention="fused", cross_attention="fused"),
}


@pytest.mark.parametrize("name", ["msc", "fused", "fused released", "fused linear"])
def test_beams_are_those_of_a_search_without_cache(name):
    """Whole searches by fairseq's generator, in which sentences end one after another."""
    model, found = build_model(**MODELS[name]), []
    model.decoder.output_projection.weight.mul_(4.0)
    source = pad_batch(SOURCES)
    sample = {"net_input": {"src_tokens": source, "src_lengths": (source != 1).sum(1)}}
    for cached in (True, False):
        generator = SequenceGenerator([model], ByteDictionary(), beam_size=4, max_len_b=20)
        assert generator.model.has_incremental
        generator.model.has_incremental = cached
        found.append(generator.generate([model], sample))
    for ours, expected in zip(*found):
        for a, b in zip(ours, expected):
            assert a["tokens"].tolist() == b["tokens"].tolist()
            assert abs(a["score"] - b["score"]) <= 1e-4


def test_finished_sentences_leave_and_the_last_ones_take_their_place():
    torch.manual_seed(1)
    search = Search(TINY, beam=2)
    for kept in ([0, 1, 2, 3, 4], [1, 2, 4], [0, 2], [1], [0]):
        search.step()
        search.reorder(search.beam_order(kept))
        search.step()
        assert search.cache.tree.beam == 2
        assert search.cache.memories[0, 0][0].shape[0] == len(kept) * 2
    assert search.cache.num_rows == 2


def test_without_repetition_every_row_is_a_sentence():
    """A search may also begin with one row a sentence and widen the cache."""
    torch.manual_seed(2)
    search = Search(TINY, beam=1, repeat=False)
    search.step()
    search.reorder(torch.arange(5).repeat_interleave(2))
    for _ in range(3):
        search.step()
        search.reorder(torch.randint(10, (10,)))
    assert search.cache.tree.beam == 1


def test_an_encoder_output_in_any_order():
    torch.manual_seed(3)
    source, rows = pad_batch(SOURCES), torch.tensor([4, 0, 0, 2])
    memory = TINY.encoder.reorder_encoder_out(TINY.encoder(source), rows)
    prefix = torch.randint(4, 260, (4, 1))
    expected = SlowDecoder(TINY, source, rows).step(prefix[:, 0])
    for state in (None, {}):
        found = TINY.decoder(prefix, memory, incremental_state=state)[0][:, 0]
        assert (found - expected).abs().max() <= 1e-5


def test_the_encoders_output_is_not_copied():
    memory = TINY.encoder(pad_batch(SOURCES))
    states = memory["encoder_out"][0]
    again = TINY.encoder.reorder_encoder_out(memory, torch.tensor([1, 1, 0]))
    again = TINY.encoder.reorder_encoder_out(again, torch.tensor([2, 0]))
    assert again["encoder_out"][0] is states
    assert again["sentence_of_row"][0].tolist() == [0, 1]
    assert "sentence_of_row" not in memory


def test_a_batch_that_the_cache_does_not_know_is_refused():
    search = Search(TINY, beam=2)
    search.step()
    with pytest.raises(ValueError, match="holds 10 hypotheses, the batch 3"):
        TINY.decoder(torch.ones(3, 2).long(), search.memory, incremental_state=search.state)


def test_attention_weights_follow_the_rows():
    torch.manual_seed(4)
    search = Search(TINY, beam=2)
    search.step()
    search.reorder(search.beam_order([1, 2, 4]))
    search.step()
    prefixes, rows = search.slow.prefixes, search.slow.source
    expected = TINY.decoder(prefixes, TINY.encoder(rows), alignment_layer=1)[1]["attn"][0]
    state = {}
    for end in (1, 2):
        memory = TINY.encoder(rows)
        found = TINY.decoder(
            prefixes[:, :end], memory, incremental_state=state, alignment_layer=1
        )[1]["attn"][0]
    assert found.shape == (6, 1, rows.shape[1])
    assert (found[:, 0] - expected[:, -1]).abs().max() <= 1e-6


# --- the tree ------------------------------------------------------------------


def grow_tree(tree, steps, parents):
    """Run ``steps`` steps; writes the number of the step as key and value."""
    for step in range(steps):
        seen = tree.open_step()
        mark = torch.full((seen.shape[0], tree.beam, 1, 1), float(step))
        keys, values = tree.write(0, mark, mark)
        tree.follow(parents)
    return tree.open_step().eq(0), keys[:, 0], values[:, :, 0]


def test_the_drawing():
    """The docstring's: beams abc, abx, ayx of one sentence."""
    tree = BeamTree(1, 3, torch.device("cpu"))
    tree.open_step()  # a, in three copies
    tree.follow(torch.tensor([0, 0, 0]))
    tree.open_step()  # b, y and one that dies
    tree.follow(torch.tensor([0, 0, 1]))
    seen = tree.open_step()[0, 0].eq(0)  # c, x, x
    alive = seen.any(0)
    assert seen[:, alive].int().tolist() == [
        [1, 1, 0, 1, 0, 0],
        [1, 1, 0, 0, 1, 0],
        [1, 0, 1, 0, 0, 1],
    ]


def test_a_beam_with_one_past_stores_it_once():
    tree = BeamTree(2, 4, torch.device("cpu"))
    seen, *_ = grow_tree(tree, 200, torch.tensor([0, 0, 0, 0, 4, 4, 4, 4]))
    assert seen.sum(-1).unique().tolist() == [201]
    assert seen.shape[-1] <= 201 + 2 * 8 * 4


def test_beams_without_a_common_past_keep_all_of_it():
    tree = BeamTree(1, 4, torch.device("cpu"))
    seen, keys, values = grow_tree(tree, 50, torch.arange(4))
    assert seen.sum(-1).unique().tolist() == [51]
    assert seen.any(1).sum() == 4 * 51
    assert keys.equal(values)
    assert sorted(keys[0].tolist()) == sorted([*range(50)] * 4)


def test_a_tree_that_loses_its_branches_shrinks():
    tree = BeamTree(1, 4, torch.device("cpu"))
    grow_tree(tree, 50, torch.arange(4))
    tree.follow(torch.zeros(4, dtype=torch.long))
    seen, keys, values = grow_tree(tree, 20, torch.zeros(4, dtype=torch.long))
    assert seen.shape[-1] <= 72 + 2 * 8 * 4
    assert seen.sum(-1).unique().tolist() == [72]
    ancestors = seen[0, 0, 0, : keys.shape[1]]
    # Its own past in full: steps 0..49, one that wrote nothing, steps 0..19.
    assert sorted(keys[0][ancestors].tolist())[-21:-19] == [29.0, 30.0]
    assert keys.equal(values)


def test_the_cache_is_grouped_by_sentence_where_the_rows_are():
    memory = torch.zeros(3, 2, 4)
    rows = torch.tensor([0, 0, 1, 1, 2, 2])
    assert DecodingCache(memory, None, rows, 1).beam == 2
    for other in ([0, 1, 2, 0, 1, 2], [0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2]):
        cache = DecodingCache(memory, None, torch.tensor(other), 1)
        assert (cache.beam, cache.num_rows) == (1, len(other))
