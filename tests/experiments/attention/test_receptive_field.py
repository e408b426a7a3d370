import pytest
import torch

import golden
from regard.experiments.attention import receptive_field as here
from regard.experiments.attention.receptive_field import (
    EXPERIMENT,
    Settings,
    TwoPlaces,
    in_windows,
    operations,
    run,
    sight,
    stack,
)
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context
from saboteurs import Saboteur, covers, fails, small

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
    assert operations(10, 4) == {
        "attention": 4 * 10 * 10 * 4,
        "window attention": 4 * 10 * 3 * 4,
        "convolution": 2 * 10 * 3 * 4 * 4,
    }


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path) -> None:
    events = list(run(SMALL, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["sight", "heads"]
    assert (
        next(
            one.value
            for one in events
            if isinstance(one, Metric) and one.name.startswith("convolutions: largest difference")
        )
        == 0
    )


UNTRAINED = Settings(length=11, width=3, depth=2, lengths=(512, 1024), steps=1, heads=(1, 2), seeds=2)
TRAINED = Settings(length=11, width=3, depth=2, lengths=(8, 16), steps=100, heads=(1, 2), seeds=2)
right_stack = here.stack
SABOTEURS = {
    "other layers than their names say": Saboteur(
        lambda patch: patch.setattr(here, "stack", lambda kind, *rest: right_stack(OTHER[kind], *rest)),
        {
            "convolutions: largest difference of the places seen from 1 + 2·depth",
            "places not seen by one attention layer",
            "later places seen by causal attention",
        },
    ),
    "costs of attention and convolution exchanged": Saboteur(
        lambda patch: patch.setattr(here, "operations", exchanged),
        {"exponent of the cost in the length, attention", "exponent of the cost in the length, convolution"},
    ),
    "windows as wide as the sequence": Saboteur(
        lambda patch: patch.setattr(here, "in_windows", lambda q, k, v, reach: in_windows(q, k, v, len(q))),
        {
            "exponent of the cost in the length, window attention",
            "gap between attention in windows and attention under the window's mask",
        },
    ),
    "one head for two and two for one": Saboteur(
        lambda patch: patch.setattr(here, "TwoPlaces", lambda width, heads: TwoPlaces(width, 3 - heads)),
        {"error with 1 head", "error with 2 heads", "what a second head takes off the error"},
    ),
}
OTHER = {
    "convolution": "attention",
    "window attention": "window attention",
    "attention": "causal attention",
    "causal attention": "attention",
}


def exchanged(length: int, width: int) -> dict[str, int]:
    right = operations(length, width)
    return right | {"attention": right["convolution"], "convolution": right["attention"]}


@pytest.mark.parametrize("name", SABOTEURS)
def test_another_layer_fails_its_claims(name: str, monkeypatch, tmp_path) -> None:
    for drawing in ("_sight", "_heads"):
        monkeypatch.setattr(here, drawing, lambda *_: None)
    settings = TRAINED if "head" in name else UNTRAINED
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)
