from math import sqrt

import pytest
import torch

import golden
from regard.experiments.text.exactness import experiment as exactness
from regard.experiments.text.exactness.experiment import Settings, bound, run
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context
from regard.models.gpt.config import GPTConfig


def test_the_bound_grows_with_the_rounding_and_the_root_of_the_length() -> None:
    config = GPTConfig(vocabulary=5, context=9, depth=1, heads=1, width=2)
    # 2 + 2 + 9 + 2 + 2 + 8 additions in the block, 2 in the head.
    assert bound(config, 9, torch.float32) == pytest.approx(3 * sqrt(27) * 2**-24)
    assert bound(config, 9, torch.bfloat16) == pytest.approx(2**16 * bound(config, 9, torch.float32))


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(exactness, "growth", lambda prepare, name, length: exactness_growth(name, length))
    config = GPTConfig(vocabulary=7, context=110, depth=1, heads=2, width=8, position="rotary", init_std=0.3)
    settings = Settings(
        model=config, rows=1, lengths=(16, 32), memory=(16,), chips=(8, 32), tokens=64, rounds=1
    )
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["time", "bytes"]
    values = {one.name: one.value for one in events if isinstance(one, Metric) and not one.at}
    assert (
        values["largest gap of the cache / bound"] < 1
        and values["largest gap of flash attention / bound"] < 1
    )
    assert values["greedy tokens that differ with a cache, float32"] == 0
    assert values["memory of the reference / one matrix of scores"] == 2


def exactness_growth(name: str, length: int):
    from regard.lab.bench import Growth

    return Growth({"sdpa": 1, "reference": 2}[name] * 4 * 4 * length**2, "made up")
