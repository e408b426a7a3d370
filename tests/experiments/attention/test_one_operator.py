from dataclasses import replace

import pytest
import torch

from regard.experiments.attention.one_operator import Settings, gaps, rows, run
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context

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
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["gaps", "weights"]
    assert max(one.value for one in events if isinstance(one, Metric)) < 1e-10
