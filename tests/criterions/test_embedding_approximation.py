from types import SimpleNamespace

import pytest
import torch
import torch.nn as nn
from fairseq.logging import metrics

from fairseq_bytefusion.criterions.embedding_approximation import (
    EmbeddingApproximationCriterion,
)
from fairseq_bytefusion.modules.approximation_loss import TERMS

from ..oracles import approximation as oracle


class Given(nn.Module):
    """A model whose vectors are given."""

    def __init__(self, vectors):
        super().__init__()
        self.vectors = nn.Parameter(torch.as_tensor(vectors))

    def forward(self):
        return self.vectors


def criterion(table, num_neighbours, **weights):
    task = SimpleNamespace(
        teacher=SimpleNamespace(table=torch.as_tensor(table), path="rows.npy")
    )
    weights = {f"{name}_weight": weights.get(name, 1.0) for name in TERMS}
    return EmbeddingApproximationCriterion(task, num_neighbours=num_neighbours, **weights)


def sample(rows):
    return {"net_input": {}, "target": torch.tensor(rows), "ntokens": 3 * len(rows)}


def test_the_loss_by_hand():
    module = criterion([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]], 1).train()
    loss, size, log = module(Given([[3.0, 4.0]]), sample([0]))
    assert size == 1
    expected = {"cos": 0.4, "l2": 4.472136, "ce": 5.318175, "nbr": 0.08}
    assert {name: log[name].item() for name in TERMS} == pytest.approx(expected, abs=1e-6)
    assert loss.item() == pytest.approx(10.270311, abs=1e-6)
    assert log["loss"].item() == loss.item()


def random_case():
    torch.manual_seed(5)
    table = torch.randn(12, 4).double()
    rows = [3, 0, 11, 3, 7]
    return table, rows, table[rows] + 0.5 * torch.randn(5, 4).double()


@pytest.mark.parametrize("train", [True, False])
def test_batches_are_the_oracles_entries(train):
    table, rows, vectors = random_case()
    module = criterion(table, 3, ce=0.5, cos=2.0, l2=0.25, nbr=4.0).train(train)
    losses, _, log = module(Given(vectors), sample(rows), reduce=False)
    expected = [
        oracle.terms(v, table.tolist(), row, 3) for v, row in zip(vectors.tolist(), rows)
    ]
    for name in TERMS:
        assert log[name].item() == pytest.approx(sum(e[name] for e in expected), abs=1e-5)
    weights = {"ce": 0.5, "cos": 2.0, "l2": 0.25, "nbr": 4.0}
    for loss, entry in zip(losses.tolist(), expected):
        assert loss == pytest.approx(sum(weights[n] * entry[n] for n in entry), abs=1e-5)
    assert ("accuracy" in log) == (not train)


def test_validation_logs_the_quality_of_the_ranking():
    table, rows, vectors = random_case()
    _, _, log = criterion(table, 3).eval()(Given(vectors), sample(rows))
    logits = vectors @ table.T
    right = sum(int(logits[i].argmax()) == row for i, row in enumerate(rows))
    assert log["accuracy"].item() == right
    expected = {}
    for vector, row in zip(vectors.tolist(), rows):
        near = oracle.ranked(table.tolist(), table[row].tolist(), exclude=row)[:2]
        for name, value in oracle.quality(vector, table.tolist(), [row, *near]).items():
            expected[name] = expected.get(name, 0) + value
    means = {"mean_precision", "average_precision"}
    assert set(expected) == {"precision@1", "precision@3", *means}
    for name, value in expected.items():
        assert log[name].item() == pytest.approx(value, abs=1e-5), name


@pytest.mark.parametrize("left_out", TERMS)
def test_a_weight_of_zero_leaves_its_term_out_of_training(left_out, monkeypatch):
    table, rows, vectors = random_case()
    full = criterion(table, 3).train()(Given(vectors), sample(rows))[2]
    module = criterion(table, 3, **{left_out: 0.0}).train()
    monkeypatch.setitem(TERMS, left_out, None)
    loss, _, log = module(Given(vectors), sample(rows))
    assert left_out not in log
    assert loss.item() == pytest.approx((full["loss"] - full[left_out]).item())


def test_a_weight_of_zero_is_logged_in_validation():
    table, rows, vectors = random_case()
    _, _, log = criterion(table, 3, l2=0.0).eval()(Given(vectors), sample(rows))
    assert log["l2"].item() > 0
    assert log["loss"].item() == pytest.approx(
        sum(log[name].item() for name in ("ce", "cos", "nbr"))
    )


def test_a_perfect_vector_has_finite_gradients():
    table, rows, _ = random_case()
    model = Given(table[rows])
    loss, _, log = criterion(table, 3).train()(model, sample(rows))
    loss.backward()
    assert model.vectors.grad.isfinite().all()
    assert log["cos"].item() == pytest.approx(0, abs=1e-6)
    assert log["l2"].item() == 0


def test_no_checkpoint_holds_the_table():
    module = criterion(torch.randn(5, 3), 2)
    assert list(module.state_dict()) == []
    assert list(module.parameters()) == []
    assert [name for name, _ in module.named_buffers()] == ["table"]


def test_means_do_not_depend_on_the_batches():
    table, rows, vectors = random_case()
    module = criterion(table, 3).eval()

    def logged(*parts):
        outputs = [
            module(Given(vectors[part]), sample([rows[i] for i in part]))[2]
            for part in parts
        ]
        with metrics.aggregate(new_root=True) as found:
            module.reduce_metrics(outputs)
        return found.get_smoothed_values()

    whole, split = logged([0, 1, 2, 3, 4]), logged([0, 1], [2], [3, 4])
    assert whole == pytest.approx(split, abs=1e-4)
    assert set(TERMS) | {"loss", "accuracy", "precision@3"} <= set(whole)


@pytest.mark.parametrize(
    ("num_neighbours", "weights", "message"),
    [
        (2, {"cos": -1.0}, "--cos-weight -1.0 must not be negative"),
        (2, dict.fromkeys(TERMS, 0.0), "one of --ce-weight, .* must be above 0"),
        (3, {}, "--num-neighbours 3 must lie between 1 and 2, .* rows of rows.npy"),
        (0, {}, "--num-neighbours 0 must lie"),
    ],
)
def test_what_cannot_be_learned(num_neighbours, weights, message):
    with pytest.raises(ValueError, match=message):
        criterion(torch.eye(3), num_neighbours, **weights)
