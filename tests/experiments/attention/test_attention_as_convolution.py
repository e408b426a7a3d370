import pytest
import torch

from regard.experiments.attention.attention_as_convolution import (
    Settings,
    by_convolution,
    counterexamples,
    kernels,
    maps,
    matrices,
    picture,
    run,
)
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context

VECTORS = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], dtype=torch.float64)
NAMES = ["a", "b", "c"]


@pytest.mark.parametrize(
    ("score", "broken"),
    [
        (lambda x, y: -(x - y).norm(dim=-1), []),
        (lambda x, y: (x * y).sum(-1) * x.norm(dim=-1), [1]),
        (lambda x, y: -(x - y).norm(dim=-1) - x[..., 0].clamp(-2, 2), [2, 4]),
        (lambda x, y: torch.zeros(len(x), dtype=x.dtype), [3]),
        (lambda x, y: -(x - y).norm(dim=-1) * (1 + x[..., 0].abs()), [4]),
    ],
)  # fmt: skip
def test_the_search_finds_the_rules_that_break_and_no_others(score, broken: list[int]) -> None:
    found = set(counterexamples(score, VECTORS, NAMES))
    assert set(broken) <= found and (found == set(broken) or broken in ([1], [2, 4]))


def test_a_map_is_the_product_of_pixel_and_kernel() -> None:
    image, filters = picture(), kernels()
    found = maps(image, filters)
    assert found[2, 3, 4].item() == pytest.approx(
        sum(image[c, 3, 4] * filters[2, c, 0, 0] for c in range(3)).item()
    )


def test_the_convolution_with_the_pictures_own_pixels_is_the_matrix() -> None:
    image = torch.rand(3, 4, 5, dtype=torch.float64)
    assert (by_convolution(image) - matrices(image)["f(Z)"]).abs().max() < 1e-12


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path) -> None:
    events = list(run(Settings(tries=50), Context(folder=tmp_path)))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["picture", "maps", "matrices"]
    broken = {
        (one.at["similarity"], one.at["rule"])
        for one in events
        if isinstance(one, Metric) and one.name == "rule broken" and one.value
    }
    assert (
        ("row softmax over the picture", 4) in broken
        and ("cosine, on vectors", 3) in broken
        and ("cosine, on directions", 3) not in broken
    )
