import pytest
import torch

from regard.experiments.attention.receptive_field import Settings, operations, run, sight, stack
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context

SMALL = Settings(length=11, width=3, depth=2, lengths=(8, 16), steps=3, heads=(1, 2), seeds=2)


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("convolution", [4, 5, 6]),
        ("window attention", [4, 5, 6]),
        ("causal attention", [0, 1, 2, 3, 4, 5]),
        ("attention", list(range(11))),
    ],
)
def test_one_layer_sees_what_it_is_built_to_see(kind: str, seen: list[int]) -> None:
    generator = torch.Generator().manual_seed(0)
    sights = sight(stack(kind, SMALL, generator), SMALL, 1, generator)
    assert sights[5].nonzero().flatten().tolist() == seen


@pytest.mark.slow
def test_operations_are_those_of_the_formulas() -> None:
    assert operations(10, 4) == {"attention": 4 * 10 * 10 * 4, "convolution": 2 * 10 * 3 * 4 * 4}


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path) -> None:
    events = list(run(SMALL, Context(folder=tmp_path)))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["sight", "heads"]
    assert (
        next(
            one.value
            for one in events
            if isinstance(one, Metric) and one.name.startswith("places seen by convolutions less")
        )
        == 0
    )
