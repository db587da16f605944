"""Several targets in one task: what the decoder begins with, and searches."""

from argparse import Namespace

import pytest
import torch
from fairseq.data.transform_eos_lang_pair_dataset import TransformEosLangPairDataset

from fairseq_bytefusion.generation.draft_counts import count_draft

from ..helpers import SENTENCES, write_pair
from .running import batches
from .targets import SIZES, TAGS, several, single, write_pairs
from .test_many_to_one import build_model, ids, iterator


@pytest.fixture()
def data(tmp_path):
    return write_pairs(tmp_path)


# --- what the decoder reads --------------------------------------------------------------


@pytest.mark.parametrize("split", ["train", "valid"])
def test_with_one_target_batches_are_those_of_a_text_tagged_by_hand(data, split):
    """fairseq's own class puts the tag there."""
    tagged, plain = single(data), single(data, target_tag=False)
    plain.load_dataset(split)
    tagged.load_dataset(split)
    by_hand = TransformEosLangPairDataset(
        plain.dataset(split), 2, tgt_bos=2, new_tgt_bos=TAGS["de"]
    )
    found = batches(tagged, split, max_tokens=90)
    assert len(found) > 1
    for batch in found:
        rows = [plain.dataset(split)[i] for i in batch["id"].tolist()]
        expected = by_hand.collater(rows)
        assert batch["ntokens"] == expected["ntokens"]
        assert torch.equal(batch["target"], expected["target"])
        for name, value in expected["net_input"].items():
            assert torch.equal(batch["net_input"][name], value), name
    order = [batch["id"].tolist() for batch in batches(plain, split, max_tokens=90)]
    assert [batch["id"].tolist() for batch in found] == order


@pytest.mark.parametrize("left", [False, True])
def test_each_row_of_a_mixed_batch_begins_with_its_tag(data, left):
    task = several(data, left_pad_target=left)
    task.load_dataset("train")
    ends = torch.tensor(list(SIZES.values())).cumsum(0)
    tags = [TAGS[tgt] for _, tgt in SIZES]
    seen = set()
    for batch in batches(task, "train"):
        for number, row, target in zip(
            batch["id"], batch["net_input"]["prev_output_tokens"], batch["target"]
        ):
            tag = tags[int((ends <= number).sum())]
            own, target = row[row.ne(1)].tolist(), target[target.ne(1)].tolist()
            assert own == [tag] + target[:-1]
            text = task.tgt_dict.string(torch.tensor(target))
            assert text.startswith("de " if tag == 260 else "fr ")
            seen.add(tag)
    assert seen == set(TAGS.values())


def test_a_tag_has_no_place_among_the_symbols_of_a_target(tmp_path, caplog):
    write_pair(tmp_path, "train", ["a", "b", "c"], ["x" * 9, "", "x" * 10], "en", "de")
    kept = []
    for target_tag in (False, True):
        task = single(tmp_path, target_tag=target_tag, max_target_positions=10)
        task.load_dataset("train")
        kept.append([b["id"].tolist() for b in batches(task, "train", 90, (2048, 10))])
    assert kept == [[[0]], [[0]]]
    assert caplog.text.count("1 of 3 pairs dropped: a target over 9 bytes") == 2
    assert caplog.text.count("1 of 3 pairs dropped: an empty side") == 2


def test_two_workers_see_what_one_sees_and_a_stopped_epoch_goes_on(data):
    task = several(data)
    task.load_dataset("train")
    one = ids(iterator(task).next_epoch_itr())
    parts = [
        ids(iterator(task, num_shards=2, shard_id=k).next_epoch_itr()) for k in range(2)
    ]
    together = [batch for pair in zip(*parts) for batch in pair]
    assert together[: len(one)] == one
    first = iterator(task)
    found = first.next_epoch_itr()
    seen = ids(next(found) for _ in range(2))
    resumed = iterator(task)
    resumed.load_state_dict(first.state_dict())
    assert seen + ids(resumed.next_epoch_itr()) == one


# --- searches ----------------------------------------------------------------------------


def hypotheses(task, model, sample, **options):
    args = Namespace(beam=3, max_len_a=0, max_len_b=20, **options)
    generator = task.build_generator([model], args)
    return task.inference_step(generator, [model], sample)


@torch.no_grad()
def log_probability(model, sample, row, tag, tokens):
    """Of what a row writes behind its tag: a symbol each, by the whole decoder."""
    previous = torch.cat([torch.tensor([tag]), tokens[:-1]])[None]
    net_input = sample["net_input"]
    source = net_input["src_tokens"][row : row + 1]
    source = source[source.ne(1)][None]
    logits = model(source, torch.tensor([source.shape[1]]), previous)[0]
    return logits.log_softmax(-1)[0].gather(1, tokens[:, None])[:, 0]


SEARCHES = {
    "beam": {},
    "bytes": {"allow_invalid_utf8": True},
    "characters": {"target_unit": "char"},
}


@pytest.mark.parametrize("kind", SEARCHES)
def test_hypotheses_begin_behind_the_tag_and_are_scored_without_it(data, kind):
    for lang in TAGS:
        (data / f"dict.char.{lang}.txt").write_text("d 1\ne 1\nf 1\nr 1\nn 1\n")
    task = several(data, **SEARCHES[kind])
    model = build_model(task)
    # Tags would be the likeliest symbols, were they any.
    tags = list(task.tgt_dict.tags.values())
    with torch.no_grad():
        model.decoder.embed_tokens.weight[tags] *= 4
    task.load_dataset("test")
    texts = {}
    for batch in batches(task, "test"):
        tag = task.tgt_dict.tags[batch["pair"][-2:]]
        assert batch["target_tag"].tolist() == [tag] * len(batch["id"])
        for options in ({}, {"sampling": True}):
            found = hypotheses(task, model, batch, **options)
            for row, best in enumerate(h[0] for h in found):
                assert not set(best["tokens"].tolist()) & set(tags)
                assert len(best["tokens"]) <= 21
                if options:  # whose probabilities are scaled
                    continue
                own = best["positional_scores"]
                expected = log_probability(model, batch, row, tag, best["tokens"])
                torch.testing.assert_close(own, expected, atol=1e-4, rtol=1e-4)
                score = expected.sum() / len(best["tokens"])
                assert float(best["score"]) == pytest.approx(float(score), abs=1e-4)
                texts[batch["pair"], row] = best["tokens"].tolist()
    assert any(texts["en-de", row] != texts["en-fr", row] for row in range(3))


def test_references_are_scored_behind_the_tag(data):
    task = several(data)
    model = build_model(task)
    task.load_dataset("test")
    scorer = task.build_generator([model], Namespace(score_reference=True))
    for batch in batches(task, "test"):
        tag = TAGS[batch["pair"][-2:]]
        for row, (best,) in enumerate(task.inference_step(scorer, [model], batch)):
            expected = log_probability(model, batch, row, tag, best["tokens"])
            torch.testing.assert_close(best["positional_scores"], expected)
            assert best["tokens"].tolist() == batch["target"][row][
                batch["target"][row].ne(1)
            ].tolist()  # fmt: skip


def test_drafts_write_what_greedy_search_writes(data):
    task = several(data)
    model = build_model(task)
    task.load_dataset("test")
    draft = data / "draft.npz"
    with draft.open("wb") as file:
        count_draft(str(data), ["en"], "de", "byte", 4).save(file)
    args = Namespace(beam=1, max_len_a=0, max_len_b=20)
    greedy = task.build_generator([model], args)
    task.cfg.draft, task.cfg.draft_file = "ngram", str(draft)
    drafted = task.build_generator([model], args)
    for batch in batches(task, "test"):
        expected = task.inference_step(greedy, [model], batch)
        for (theirs,), (ours,) in zip(
            expected, task.inference_step(drafted, [model], batch)
        ):
            assert ours["tokens"].tolist() == theirs["tokens"].tolist()
            assert float(ours["score"]) == pytest.approx(float(theirs["score"]), abs=1e-4)


def test_lines_of_any_text_go_into_the_chosen_target(data):
    task = single(data, target_lang="fr", target_tag=False)
    task.load_state_dict(several(data).state_dict())
    assert task.target_begin == 261
    tokens, lengths = task.get_interactive_tokens_and_lengths(SENTENCES, str)
    dataset = task.build_dataset_for_inference(tokens, lengths)
    batch = dataset.collater([dataset[i] for i in range(len(dataset))])
    assert batch["target_tag"].tolist() == [261] * len(SENTENCES)
    with pytest.raises(ValueError, match=r"target languages \(de, fr\): choose one to tr"):
        several(data).build_dataset_for_inference(tokens, lengths)
