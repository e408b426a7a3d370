"""Which operand of a product holds attention weights, and how they stand."""

import pytest
import torch

from regard.core.products import letters, weights_of


def rows(*shape: int) -> torch.Tensor:
    return torch.rand(*shape).softmax(-1)


def test_weights_stand_at_the_left_or_turned_at_the_right() -> None:
    w, v = rows(2, 3, 4, 5), torch.randn(2, 3, 5, 7)
    assert weights_of(torch.matmul, (w, v), lambda x: False) is w
    found = weights_of(torch.Tensor.matmul, (v.mT, w.mT), lambda x: False)
    assert found is not None and torch.equal(found, w)
    found = weights_of(torch.baddbmm, (torch.zeros(3, 4, 7), w[0], v[0]), lambda x: False)
    assert found is not None and torch.equal(found, w[0])


@pytest.mark.parametrize(
    ("equation", "axes"),
    [
        ("bhij,bhjd->bhid", (0, 1, 2, 3)),
        ("nhql,nlhd->nqhd", (0, 1, 2, 3)),
        ("bijh,bjhd->bihd", (0, 2, 3, 1)),
        ("... i j, ... j d -> ... i d", (0, 1, 2, 3)),
    ],
)
def test_an_einsum_says_which_letter_is_the_key(equation: str, axes: tuple[int, ...]) -> None:
    """Weights are made as (b h n m) and laid out as the equation has them."""
    w = rows(2, 3, 4, 5)
    first, second = equation.replace(" ", "").split("->")[0].split(",")
    laid = w.permute([axes.index(i) for i in range(4)]) if axes != (0, 1, 2, 3) else w
    laid = w.permute(0, 2, 3, 1) if first == "bijh" else laid
    sizes = {"b": 2, "n": 2, "h": 3, "j": 5, "l": 5, "d": 7}
    v = torch.randn(2, 3, 5, 7) if "..." in second else torch.randn([sizes[c] for c in second])
    for operands in ((laid, v), ([laid, v],)):
        found = weights_of(torch.einsum, (equation, *operands), lambda x: False)
        assert found is not None and torch.equal(found, w)


@pytest.mark.parametrize(
    "operands",
    [
        (torch.randn(3, 3), torch.randn(3, 2)),
        (torch.eye(3), torch.nn.Parameter(torch.randn(3, 2))),
        (torch.zeros(3, 3), torch.randn(3, 2)),
        (torch.ones(3, 1), torch.randn(1, 2)),
        (torch.tensor([[2.0, -1.0]]), torch.randn(2, 2)),
        (torch.tensor([1.0, 2.0]), torch.randn(2)),
    ],
    ids=["any matrix", "a lookup in a learned table", "zeros", "one key", "negative", "vectors"],
)
def test_other_products_are_no_attention(operands: tuple[torch.Tensor, ...]) -> None:
    assert weights_of(torch.matmul, operands, lambda x: False) is None


def test_a_row_that_sees_nothing_does_not_hide_the_others() -> None:
    w = torch.tensor([[0.0, 0.0], [0.5, 0.5]])
    assert weights_of(torch.matmul, (w, torch.randn(2, 2)), lambda x: False) is w


def test_what_is_marked_counts_whatever_its_rows_sum_to() -> None:
    w = torch.tensor([[0.1, 0.2], [0.3, 0.1]])
    assert weights_of(torch.matmul, (w, torch.randn(2, 2)), lambda x: x is w) is w


def test_a_softmax_over_the_rows_of_a_learned_table_looks_at_them() -> None:
    w, table = rows(4, 7), torch.nn.Parameter(torch.randn(7, 3))
    for func, operands in ((torch.matmul, (w, table)), (torch.einsum, ("nm,md->nd", w, table))):
        found = weights_of(func, operands, lambda x: x is w)
        assert found is not None and torch.equal(found, w)
    assert weights_of(torch.matmul, (w, torch.nn.Parameter(torch.randn(7, 3))), lambda x: False) is None
    halves = w / 2
    assert weights_of(torch.matmul, (halves, table), lambda x: x is halves) is None


def test_an_equation_without_an_arrow_has_theletters_that_stand_once() -> None:
    assert letters("ij,jd", [2, 2]) == ("ij", "jd", "di")
