from pathlib import Path

import pytest

import golden
from regard.experiments.text.width_or_depth import SHAPES, Settings, config_of, run
from regard.lab.events import FigureEvent, PairedMetric
from regard.lab.experiment import Context
from regard.models.gpt.model import GPT


def test_the_shapes_have_the_same_number_of_weights() -> None:
    sizes = [GPT(config_of(shape, Settings(), 65)).size for shape in SHAPES.values()]
    assert max(sizes) / min(sizes) < 1.01


@pytest.mark.slow
def test_a_small_run_compares_and_draws(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the quick brown fox jumps over the lazy dog. " * 40)
    settings = Settings(
        text=str(tmp_path / "text.txt"), width=8, depth=1, context=6, steps=3, batch=2, seeds=2
    )
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert sum(isinstance(one, PairedMetric) for one in events) == 3 and [
        one.name for one in events if isinstance(one, FigureEvent)
    ] == ["curves"]
