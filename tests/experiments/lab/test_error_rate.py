"""The lab's own error rate, and lab rules that would be wrong more often."""

from pathlib import Path

import numpy as np
import pytest

import golden
from regard.experiments.lab.error_rate import (
    CLAIMS,
    EDGE,
    EDGES,
    EXPERIMENT,
    LAWS,
    RATES,
    Settings,
    _reason,
    coin,
    run,
    verdict,
)
from regard.lab import runner
from regard.lab.answer import opening, summaries
from regard.lab.experiment import Context
from regard.lab.runner import settle
from regard.lab.statistics import Summary
from regard.lab.store.runs import Store
from saboteurs import Saboteur, covers, fails, small

SMALL = Settings(planted=200, seeds=(2, 3, 5), distances=(0.0, 1.0))


def verdicts(tmp_path, settings=SMALL) -> dict[str, str]:
    events = list(run(settings, Context(folder=tmp_path)))
    kept = [event for event in events if type(event).__name__ == "Metric"]
    return {one.claim.name: one.state for one in settle(CLAIMS, kept, preset="quick")}


@pytest.mark.parametrize("law", [*LAWS.values(), coin])
def test_every_law_has_mean_zero_and_deviation_one(law):
    drawn = law(np.random.default_rng(3), 200_000)
    assert drawn.mean() == pytest.approx(0, abs=0.02) and drawn.std() == pytest.approx(1, abs=0.02)


def test_the_verdict_is_the_labs_own():
    assert verdict(np.array([1.9, 2.0, 2.1])) == "held"
    assert verdict(np.array([0.0, 0.1, -0.1])) == "failed"
    assert verdict(np.array([0.5, 1.0, 2.0])) == "not settled"
    assert EDGE == 1.0


def test_a_small_run_holds_all_claims(tmp_path):
    assert set(verdicts(tmp_path).values()) == {"held"}


def one_standard_error(values):
    """Intervals of one standard error, which are too narrow."""
    mean, spread = float(np.mean(values)), float(np.std(values, ddof=1))
    half = spread / len(values) ** 0.5
    return Summary(mean, spread, mean - half, mean + half, len(values))


def no_end(values):
    """Intervals that never end."""
    return Summary(float(np.mean(values)), 1.0, -1e9, 1e9, len(values))


def at(rule):
    return lambda patch: patch.setattr(runner, "summarise", rule)


SABOTEURS = {
    "intervals that are too narrow": Saboteur(at(one_standard_error), set(RATES.values())),
    "intervals that never end": Saboteur(at(no_end), {"large effects that are called held"}),
}


@pytest.mark.parametrize("name", SABOTEURS)
def test_another_rule_fails_the_claims_on_it(name: str, tmp_path, monkeypatch):
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, SMALL, tmp_path))


def test_every_claim_has_a_saboteur():
    covers(EXPERIMENT, SABOTEURS)


def test_a_small_run_is_what_it_was(tmp_path):
    golden.check(__file__, golden.of_events(run(SMALL, Context(folder=tmp_path))))
    assert EXPERIMENT.claims == CLAIMS


def test_what_is_above_the_share_of_the_interval_is_told_with_the_law_it_comes_from():
    assert _reason("held", 0.02, "skewed", 0.05, draws=100).endswith("allows 2.5 %.")
    assert "most under the skewed law (9.0 %)" in _reason("failed", 0.04, "skewed", 0.09, draws=4000)
    assert "under the normal law too" in _reason("failed", 0.04, "normal", 0.09, draws=4000)
    assert "than chance makes of that in 4,000" in _reason("held", 0.027, "uniform", 0.039, draws=4000)


def test_the_first_sentences_tell_the_distance_of_the_truth_and_the_rate_on_the_edge(tmp_path):
    done = runner.run(EXPERIMENT, SMALL, Store(tmp_path), source=Path(__file__), preset="quick")
    held, failed = opening(done)
    found = {name: one.mean for name, one in summaries(done).items()}
    assert "by 1 × the standard deviation between seeds" in held
    assert (
        f"{100 * found[EDGES['held']]:.1f} %." in held and f"{100 * found[EDGES['failed']]:.1f} %;" in failed
    )
