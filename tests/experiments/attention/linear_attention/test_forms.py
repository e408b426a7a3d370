"""The forms of attention and their costs: known answers by hand."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from regard.experiments.attention.linear_attention.forms import (
    FORMS,
    MATRICES,
    crossing,
    formula,
    kept,
    kept_formula,
    prepared,
    rootless,
    short_forms,
)


def test_the_printed_feature_map_gives_the_kernel_without_its_linear_part() -> None:
    """(x·y + 1)² = 1 + 2x·y + (x·y)²; without √2 the middle term is x·y."""
    x, y = torch.randn(2, 5, dtype=torch.float64)
    assert float(rootless(x) @ rootless(y)) == pytest.approx(float(1 + x @ y + (x @ y) ** 2))


def test_two_lines_cross_where_they_cross() -> None:
    lengths = (10, 100, 1000)
    assert crossing(
        lengths, [length**2 for length in lengths], [200 * length for length in lengths]
    ) == pytest.approx(200)
    assert (
        crossing(lengths, [1, 1, 1], [2, 2, 2]) == float("inf")
        and crossing(lengths, [2, 2, 2], [1, 1, 1]) == 10
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_form_gives_one_row_for_each_token(form: str) -> None:
    assert prepared(form, 7, 3)().shape == (1, 1, 7, 3)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_costs_what_the_formula_says(form: str) -> None:
    """Counted while it runs; what it adds up beside the products is small."""
    with FlopCounterMode(display=False) as counter:
        prepared(form, 64, 16)()
    assert counter.get_total_flops() == pytest.approx(formula(64, 16)[form], rel=0.05)
    assert formula(10, 4)["softmax"] == 2 * 10 * 10 * (4 + 4)


@pytest.mark.parametrize("form", MATRICES)
def test_matrices_are_the_form_and_keep_what_the_formula_says(form: str) -> None:
    x = torch.randn(1, 1, 9, 4)
    assert torch.allclose(MATRICES[form](*[x[0, 0]] * 3), FORMS[form](x)[0, 0], atol=1e-5)
    assert kept(MATRICES[form], 50, 4) == kept_formula(50, 4)[form]


def test_what_is_kept_is_counted_once() -> None:
    """q, k and v of 5 × 2 numbers; the product of the first two is kept, its double is not."""
    assert kept(lambda q, k, v: 2 * ((q * k) * v), 5, 2) == 40


def test_short_forms_give_a_row_for_each_token_and_cost_as_much_as_they_should() -> None:
    costs = {}
    for name, form in short_forms(64, 4, 8).items():
        with FlopCounterMode(display=False) as counter:
            assert form().shape == (64, 8)
        costs[name] = counter.get_total_flops()
    assert costs == {"PV": 2 * 64 * 64 * 8, "low rank": 4 * 64 * 4 * 8, "projected": 8 * 64 * 4 * 8}
