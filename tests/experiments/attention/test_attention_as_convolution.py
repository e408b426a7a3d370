import pytest
import torch

import golden
from regard.core.similarity import unit
from regard.experiments.attention import attention_as_convolution as here
from regard.experiments.attention.attention_as_convolution import (
    EXPERIMENT,
    KERNELS,
    SHARES,
    Likeness,
    Settings,
    _outdone,
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
from saboteurs import Saboteur, covers, fails, small, states

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
    table = score(VECTORS.repeat_interleave(3, 0), VECTORS.repeat(3, 1)).view(3, 3)
    one = Likeness("s", VECTORS, NAMES, table, score(10 * VECTORS, 10 * VECTORS))
    found = set(counterexamples(one))
    assert set(broken) <= found and (found == set(broken) or broken in ([1], [2, 4]))


def test_a_map_is_the_product_of_pixel_and_kernel() -> None:
    image, filters = picture(), kernels()
    found = maps(image, filters)
    assert found[2, 3, 4].item() == pytest.approx(
        sum(image[c, 3, 4] * filters[2, c, 0, 0] for c in range(3)).item()
    )


def test_what_only_pixels_have_is_not_stretched() -> None:
    """A softmax gives values to what is in its sum; so there is no s(10x, 10x), and no entry without a bound."""
    table = (100 * VECTORS @ VECTORS.T).softmax(1)
    assert 1 not in counterexamples(Likeness("shares", VECTORS, NAMES, table))


def test_kernels_that_others_outdo_are_counted() -> None:
    image = picture()
    assert _outdone(maps(image, kernels()), image) == 5
    directed = unit(image.permute(1, 2, 0)).permute(2, 0, 1)
    alike = maps(directed, unit(kernels()[:, :, 0, 0])[:, :, None, None])
    assert _outdone(alike, image) == 3, "by hue: white by grey, red and dark red by each other"
    assert len(KERNELS) == 6


def test_the_convolution_with_the_pictures_own_pixels_is_the_matrix() -> None:
    image = torch.rand(3, 4, 5, dtype=torch.float64)
    assert (by_convolution(image) - matrices(image)["f(Z)"]).abs().max() < 1e-12


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path) -> None:
    events = list(run(Settings(tries=50), Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["picture", "maps", "matrices"]
    broken = {
        (one.at["similarity"], one.at["rule"])
        for one in events
        if isinstance(one, Metric) and one.name == "rule broken" and one.value
    }
    assert (
        (SHARES, 4) in broken
        and (SHARES, 1) not in broken
        and ("cosine, on vectors", 3) in broken
        and ("cosine, on directions", 3) not in broken
    )


SMALL = Settings(tries=50)
SABOTEURS = {
    "nothing is normalised": Saboteur(
        lambda patch: patch.setattr(here, "unit", lambda x: x),
        {
            "rules broken by cosine on vectors",
            "rules broken by the cosine under one softmax",
            "rules broken by cosine on directions",
            "rules broken by the cosine under one softmax, one pixel of each hue",
            "cosine maps: pixels at 1 without the kernel's hue, or below 1 with it",
            "gap between a convolution and cosine times norms",
        },
    ),
    "a search that overlooks differences": Saboteur(
        lambda patch: patch.setattr(here, "TOLERANCE", 100.0),
        {"rules broken by the dot product", "rules broken by the row softmax"},
    ),
    "a matrix made symmetric": Saboteur(
        lambda patch: patch.setattr(here, "matrices", symmetric(here.matrices)), {"row softmax breaks symmetry"}
    ),
    "maps of distances": Saboteur(
        lambda patch: patch.setattr(here, "maps", lambda image, filters: -(image[None] - filters).norm(dim=1)),
        {"kernels that answer another colour at least as strongly as their own", "gap between f(Z) by convolution and by matrices"},
    ),
    "a grey that is brown": Saboteur(
        lambda patch: patch.setattr(here, "COLOURS", here.COLOURS | {"grey": (0.5, 0.2, 0.1)}), {"pixels whose hue no kernel has"}
    ),
    "a larger picture": Saboteur(
        lambda patch: patch.setattr(here, "PICTURE", here.PICTURE + "\nwwwwwwww"), {"kernels of the convolution that gives f(Z)"}
    ),
    "colours of one norm": Saboteur(
        lambda patch: patch.setattr(here, "COLOURS", {name: tuple(unit(torch.tensor(one)).tolist()) for name, one in here.COLOURS.items()}),
        {"ZZᵀ: largest diagonal entry minus the smallest"},
    ),
}  # fmt: skip


def symmetric(matrices):
    return lambda image: (
        matrices(image)
        | {"row softmax": (matrices(image)["row softmax"] + matrices(image)["row softmax"].T) / 2}
    )


@pytest.mark.parametrize("name", SABOTEURS)
def test_another_measurement_fails_its_claims(name: str, monkeypatch, tmp_path) -> None:
    for drawing in ("_picture", "_maps", "_matrices"):
        monkeypatch.setattr(here, drawing, lambda *_: None)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, SMALL, tmp_path))


def test_every_claim_holds_and_has_a_saboteur(tmp_path) -> None:
    covers(EXPERIMENT, SABOTEURS)
    assert set(states(EXPERIMENT.claims, run(SMALL, Context(folder=tmp_path))).values()) == {"held"}
