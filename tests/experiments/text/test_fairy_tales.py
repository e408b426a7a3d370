from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import golden
from regard.experiments.text.fairy_tales import SAMPLERS, Settings, longest_copy, run
from regard.lab.events import FigureEvent, Metric, PairedMetric, TableEvent
from regard.lab.experiment import Context
from regard.models.gpt.presets import AMSTERDAM
from regard.training import Plan

letters = some.text("ab", max_size=12)


@given(letters, letters)
def test_the_longest_copy_is_that_of_all_stretches(said: str, source: str) -> None:
    stretches = [said[i:j] for i in range(len(said)) for j in range(i + 1, len(said) + 1)]
    assert longest_copy(said, source) == max((len(one) for one in stretches if one in source), default=0)


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text(
        "Once upon a time there was a wolf. Yesterday I went to the mill, The wolf said no. " * 30
    )
    settings = Settings(
        text=str(tmp_path / "text.txt"), limit=1500, batch=2, rows=3, plan=Plan(steps=4),
        model=replace(AMSTERDAM, depth=1, heads=1, width=8, context=16),
    )  # fmt: skip
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    (table,) = [one for one in events if isinstance(one, TableEvent)]
    assert len(table.rows) == len(SAMPLERS) + 1 and [
        one.name for one in events if isinstance(one, FigureEvent)
    ] == ["memory"]
    assert [one.name for one in events if isinstance(one, PairedMetric)] == [
        "loss with dropout left on minus off"
    ]
    assert any(
        isinstance(one, Metric) and one.name == "loss on seen text at the end, another text" for one in events
    )
