import pytest
import torch

from regard.lab.bench import Growth
from regard.lab.events import Drawn, Measured
from regard.lab.experiment import Session
from regard.lab.experiments import linear_attention
from regard.lab.experiments.linear_attention import (
    FORMS,
    Settings,
    crossing,
    formula,
    prepared,
    rootless,
    run,
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


def test_softmax_costs_what_the_formula_says() -> None:
    assert formula(10, 4)["softmax"] == 2 * 10 * 10 * (4 + 4)


def test_a_small_run_measures_and_draws(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(
        linear_attention,
        "growth",
        lambda prepare, form, length, width: Growth(int(length) ** 2, "a stand-in"),
    )
    settings = Settings(width=3, lengths=(8, 16, 32), rounds=1, memory=(8, 16), rank=2)
    events = list(run(settings, Session(folder=tmp_path)))
    values = {one.name: one.value for one in events if isinstance(one, Measured) and not one.at}
    assert [one.name for one in events if isinstance(one, Drawn)] == ["cost", "rank"]
    assert (
        values["gap between the linear form and the kernel form"] < 1e-10
        and values["memory of softmax at the larger N / at the smaller"] == 4
    )
