from pathlib import Path

import pytest
import torch

import golden
from regard.experiments.text.positions import Settings, order_seen, run, shuffled
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context


def test_one_layer_without_positions_is_blind_to_order_and_two_are_not() -> None:
    assert order_seen(1, 3) < 1e-12 and order_seen(2, 3) > 1e-3


def test_shuffling_keeps_the_characters_and_the_last_place() -> None:
    inputs = torch.arange(12).view(2, 6)
    mixed, targets = shuffled((inputs, inputs + 1), torch.Generator().manual_seed(0))
    assert (
        torch.equal(mixed[:, -1], inputs[:, -1])
        and torch.equal(mixed.sort(1).values, inputs)
        and not torch.equal(mixed, inputs)
        and torch.equal(targets, inputs + 1)
    )


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the quick brown fox jumps over the lazy dog. " * 40)
    settings = Settings(
        text=str(tmp_path / "text.txt"), length=6, beyond=18, width=8, depth=1, steps=2, batch=2, seeds=2
    )
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["length"]
    assert (
        len({one.name for one in events if isinstance(one, Metric) and one.name.startswith("loss beyond it")})
        == 5
    )
