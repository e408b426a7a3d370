import pytest

from regard.experiments.attention.linear_attention import experiment as linear_attention
from regard.experiments.attention.linear_attention.experiment import Settings, run
from regard.lab.bench import Growth
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(
        linear_attention,
        "growth",
        lambda prepare, form, length, width: Growth(int(length) ** 2, "a stand-in"),
    )
    settings = Settings(width=3, lengths=(8, 16, 32), rounds=1, memory=(8, 16), rank=2)
    events = list(run(settings, Context(folder=tmp_path)))
    values = {one.name: one.value for one in events if isinstance(one, Metric) and not one.at}
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["cost", "rank"]
    assert (
        values["gap between the linear form and the kernel form"] < 1e-10
        and values["memory of softmax at the larger N / at the smaller"] == 4
    )
