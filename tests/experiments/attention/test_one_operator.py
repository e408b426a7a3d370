from dataclasses import replace

import pytest
import torch

import golden
from regard.experiments.attention import one_operator as here
from regard.experiments.attention.one_operator import EXPERIMENT, Settings, gaps, rows, run
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context
from saboteurs import Saboteur, covers, fails, small

SMALL = Settings(size=7, width=3, seeds=1)
ROWS = list(rows(SMALL, torch.Generator().manual_seed(5)))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.gives)
def test_a_wrong_formula_is_seen_in_value_and_gradient(row) -> None:
    wrong = replace(row, formula=lambda *inputs: 1.01 * row.formula(*inputs))
    assert max(gaps(row)[:2]) < 1e-12 and min(gaps(wrong)[:2]) > 1e-4


def test_the_table_of_the_design_is_whole() -> None:
    assert len(ROWS) == 8 and {gaps(row)[2].backend for row in ROWS} == {
        "sdpa",
        "linear",
        "edges",
        "reference",
    }


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path) -> None:
    events = list(run(SMALL, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["gaps", "weights"]
    assert max(one.value for one in events if isinstance(one, Metric)) < 1e-10


SABOTEURS = {
    "scores that are not scaled": Saboteur(
        lambda patch: patch.setattr(here, "transformer", lambda q, k, v: right_transformer(2 * q, k, v)),
        {"largest gap of an output"},
    ),
    "a formula through which no gradient goes to the queries": Saboteur(
        lambda patch: patch.setattr(here, "transformer", lambda q, k, v: right_transformer(q.detach() + 0 * q, k, v)),
        {"largest gap of a gradient"},
    ),
}  # fmt: skip
right_transformer = here.transformer


@pytest.mark.parametrize("name", SABOTEURS)
def test_another_formula_fails_its_claims(name: str, monkeypatch, tmp_path) -> None:
    for drawing in ("_gaps", "_weights"):
        monkeypatch.setattr(here, drawing, lambda *_: None)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, SMALL, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)
