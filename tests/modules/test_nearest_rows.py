import pytest
import torch

from fairseq_bytefusion.modules import nearest_rows as module
from fairseq_bytefusion.modules.nearest_rows import (
    cosine_ranking,
    nearest_rows,
    ranking_quality,
)

from ..oracles import approximation as oracle


@pytest.fixture(params=[2**24, 1, 70], ids=["one chunk", "a vector each", "two each"])
def chunked(request, monkeypatch):
    monkeypatch.setattr(module, "_CHUNK", request.param)


def random_table(rows=31, dim=5):
    torch.manual_seed(3)
    return torch.randn(rows, dim).double() * torch.rand(rows, 1).double()


def test_neighbours_of_every_row(chunked):
    table = random_table()
    cosines, rows = nearest_rows(table, table, 4, exclude=torch.arange(31))
    for row in range(31):
        expected = oracle.ranked(table.tolist(), table[row].tolist(), exclude=row)[:4]
        assert rows[row].tolist() == expected
        for place, other in enumerate(expected):
            cosine = oracle.cosine(table[row].tolist(), table[other].tolist())
            assert cosines[row, place].item() == pytest.approx(cosine, abs=1e-12)


def test_without_exclusion_the_row_itself_is_nearest():
    table = random_table()
    assert nearest_rows(table, table, 1)[1].flatten().tolist() == list(range(31))


def test_exclusion_is_by_index():
    table = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    _, rows = nearest_rows(table, table, 1, exclude=torch.arange(3))
    assert rows[:2].flatten().tolist() == [1, 0]


@pytest.mark.parametrize("count", [0, 3])
def test_too_many_or_no_neighbours(count):
    table = torch.eye(3)
    with pytest.raises(ValueError, match=f"{count} nearest of 2 rows"):
        nearest_rows(table, table, count, exclude=torch.arange(3))


def test_no_vector_has_no_neighbour():
    assert nearest_rows(torch.eye(3), torch.zeros(0, 3), 2)[1].shape == (0, 2)


def test_ranking_quality(chunked):
    table = random_table()
    vectors = table + 0.3 * torch.randn_like(table)
    _, relevant = nearest_rows(table, table, 4)
    found = ranking_quality(cosine_ranking(vectors @ table.T, table), relevant)
    for row in range(31):
        expected = oracle.quality(
            vectors[row].tolist(), table.tolist(), relevant[row].tolist()
        )
        assert {n: v[row].item() for n, v in found.items()} == pytest.approx(expected)
    assert 0.05 < found["average_precision"].mean() < 0.95


def test_ranking_quality_by_hand():
    # Rows 1, 0, 2, 3 is the ranking; row 1 and row 2 are relevant.
    similarity = torch.tensor([[0.7, 0.9, 0.5, -0.2]])
    found = ranking_quality(similarity, torch.tensor([[1, 2]]))
    assert found["precision@1"].item() == 1
    assert found["precision@2"].item() == 0.5
    assert found["mean_precision"].item() == pytest.approx((1 / 1 + 1 / 2) / 2)
    assert found["average_precision"].item() == pytest.approx((1 / 1 + 2 / 3) / 2)
    assert ranking_quality(similarity, torch.tensor([[2, 1]]))["precision@1"].item() == 0


def test_mean_precision_lies_between_the_precisions_it_is_of():
    """As the paper's does in each row of its table 2; that of retrieval need not."""
    # The most relevant row comes first, and of the others none among the first three.
    similarity = torch.tensor([[0.9, 0.1, 0.2, 0.8, 0.7]])
    found = ranking_quality(similarity, torch.tensor([[0, 1, 2]]))
    assert found["precision@1"].item() == 1
    assert found["precision@3"].item() == pytest.approx(1 / 3)
    assert found["mean_precision"].item() == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    # The ranking is 3, 1, 2, 0, and 0, 1, 2 is what it should begin with.
    similarity = torch.tensor([[0.1, 0.8, 0.7, 0.9]])
    found = ranking_quality(similarity, torch.tensor([[0, 1, 2]]))
    assert found["precision@1"].item() == 0
    assert found["precision@3"].item() == pytest.approx(2 / 3)
    assert found["mean_precision"].item() == pytest.approx((0 + 1 / 2 + 2 / 3) / 3)
    assert found["average_precision"].item() == pytest.approx((1 / 2 + 2 / 3 + 3 / 4) / 3)


def test_a_vector_that_tells_nothing_apart_finds_nothing():
    found = ranking_quality(torch.zeros(1, 8), torch.tensor([[3, 1]]))
    assert found["precision@1"].item() == found["precision@2"].item() == 0
    assert found["mean_precision"].item() == 0
    assert found["average_precision"].item() == pytest.approx((1 / 8 + 2 / 8) / 2)


def test_perfect_vectors_have_a_perfect_ranking():
    table = random_table()
    _, relevant = nearest_rows(table, table, 5)
    ranking = cosine_ranking(table @ table.T, table)
    for values in ranking_quality(ranking, relevant).values():
        assert values.tolist() == [1.0] * 31
