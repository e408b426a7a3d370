import pytest
import torch
from scipy import stats

from regard.experiments.text.decoding.experiment import Settings, run, surprise
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context


def test_surprise_is_scipys_chi_square() -> None:
    counts, p = torch.tensor([30, 50, 0, 20]), torch.tensor([0.25, 0.5, 0.0, 0.25])
    there = p > 0
    expected = stats.chisquare(counts[there], (p[there] * 100).numpy()).pvalue
    assert surprise(counts, p) == pytest.approx(expected)


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path) -> None:
    settings = Settings(
        models=3, length=3, widths=(1, 8), draws=500, sizes=(8, 16), beams=(1, 4), lengths=(2, 3)
    )
    events = list(run(settings, Context(folder=tmp_path)))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == [
        "tree",
        "search",
        "samplers",
        "cost",
    ]
    values = {one.name: one.value for one in events if isinstance(one, Metric) and not one.at}
    assert values["the beam of two finds it"] == 0 and values["draws of tokens that the sampler forbids"] == 0
    assert values["largest gap between a beam's score and a full pass"] < 1e-9
    gaps = [
        one.value
        for one in events
        if isinstance(one, Metric) and one.name.startswith("gap between Berkeley HW6")
    ]
    assert len(gaps) == 4 and max(gaps) < 1e-5
