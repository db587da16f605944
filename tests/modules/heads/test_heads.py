"""Heads against the enumeration of all labels: 3 labels, up to 4 words."""

import sys

import pytest
import torch

from fairseq_bytefusion.modules.heads import CRFHead, SoftmaxHead

from ...oracles.words import crf_distribution

LENGTHS = [4, 2, 1, 3]
MASK = torch.arange(5) < torch.tensor(LENGTHS).unsqueeze(1)  # </s> behind the last word


@pytest.fixture
def crf():
    torch.manual_seed(3)
    head = CRFHead(6, 3)
    for parameter in head.parameters():
        parameter.data.normal_()
    return head


@pytest.fixture
def scores():
    torch.manual_seed(4)
    return torch.randn(4, 5, 3)


def distributions(head, scores):
    crf = head.crf
    weights = (crf.start_transitions, crf.transitions, crf.end_transitions)
    weights = [w.detach().double() for w in weights]
    return [
        crf_distribution(row[:length].double(), *weights)
        for row, length in zip(scores, LENGTHS)
    ]


def test_likelihood(crf, scores):
    target = torch.randint(3, (4, 5), generator=torch.Generator().manual_seed(5))
    target[~MASK] = -100
    found = crf.losses(scores, MASK, target)
    for loss, every, row, length in zip(found, distributions(crf, scores), target, LENGTHS):
        expected = -every[tuple(row[:length].tolist())].log()
        assert loss.item() == pytest.approx(expected.item(), abs=1e-5)


def test_likelihoods_are_in_32_bits(crf, scores):
    target = torch.zeros(4, 5, dtype=torch.long)
    halved = crf.bfloat16()
    found = halved.losses(100 * scores, MASK, target)
    assert found.dtype == torch.float32
    assert torch.allclose(found, crf.float().losses(100 * scores, MASK, target))
    halved.bfloat16().losses(scores, MASK, target).sum().backward()
    assert all(p.grad is not None for p in halved.crf.parameters())


def test_viterbi_finds_the_most_probable_labels(crf, scores):
    found = crf.decode(scores, MASK)
    for row, every, length in zip(found, distributions(crf, scores), LENGTHS):
        assert tuple(row[:length].tolist()) == max(every, key=every.get)
        assert not row[length:].any()


def test_marginals(crf, scores):
    with torch.no_grad():
        found = crf.log_probabilities(scores, MASK).exp()
    for row, every, length in zip(found, distributions(crf, scores), LENGTHS):
        for place in range(length):
            for label in range(3):
                expected = sum(p for labels, p in every.items() if labels[place] == label)
                assert row[place, label].item() == pytest.approx(expected.item(), abs=1e-5)


def test_a_sentence_without_words(crf, scores):
    mask = MASK.clone()
    mask[1] = False
    target = torch.zeros(4, 5, dtype=torch.long)
    losses = crf.losses(scores, mask, target)
    assert losses[1] == 0
    assert torch.equal(losses[[0, 2, 3]], crf.losses(scores, MASK, target)[[0, 2, 3]])
    assert crf.decode(scores, mask)[1].tolist() == [0] * 5
    assert crf.log_probabilities(scores, mask).isfinite().all()


def test_softmax(scores):
    head = SoftmaxHead(6, 3)
    assert torch.equal(head.decode(scores, MASK), scores.argmax(-1))
    probabilities = head.log_probabilities(scores, MASK).exp()
    assert torch.allclose(probabilities, scores.softmax(-1))


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torchcrf", None)
    with pytest.raises(ValueError, match="needs the package pytorch-crf: pip install pyt"):
        CRFHead(6, 3)
