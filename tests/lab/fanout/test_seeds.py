"""Many seeds of one experiment: keys, what is missing, and the merged summary."""

from dataclasses import replace
from statistics import mean, stdev

import pytest

from regard.lab.events import Metric
from regard.lab.fanout.seeds import SeedPlan
from regard.lab.runner import run
from regard.lab.store import fingerprint


@pytest.fixture
def seeded(experiment, source):
    """Its height grows with the run's seed, and is measured twice in each; the odd ones are cut off."""

    def measure(settings, context):
        yield Metric("height", 1.41 + 0.02 * context.seed, 0)
        yield Metric("height", 1.43 + 0.02 * context.seed, 1)
        yield Metric("once", context.seed)

    return replace(experiment, run=measure)


def plan(seeded, source, seeds) -> SeedPlan:
    return SeedPlan(
        experiment=seeded,
        source=source,
        settings=seeded.presets["quick"],
        preset="quick",
        changes=[],
        seeds=seeds,
    )


def made(seeded, source, store, seed):
    return run(seeded, seeded.presets["quick"], store, source=source, preset="quick", seed=seed)


def test_the_key_of_each_seed_is_the_key_of_its_run(seeded, source) -> None:
    keys = plan(seeded, source, range(2, 5)).keys
    assert keys == {
        seed: fingerprint.key(seeded.presets["quick"], seed=seed, source=source) for seed in (2, 3, 4)
    }


@pytest.mark.slow
def test_only_what_has_no_finished_run_is_missing(seeded, source, store) -> None:
    made(seeded, source, store, 1)
    asked = plan(seeded, source, range(3))
    tasks = asked.missing(store)
    assert [task.name for task in tasks] == ["heights, seed 0", "heights, seed 2"]
    assert [task.key for task in tasks] == [asked.keys[0], asked.keys[2]]


@pytest.mark.slow
def test_the_summary_is_over_the_means_of_the_runs(seeded, source, store) -> None:
    for seed in range(4):
        made(seeded, source, store, seed)
    made(seeded, source, store, 0)  # one that was made twice counts once
    summary = plan(seeded, source, range(4)).merged(store, {})
    height = next(one for one in summary.numbers if one.name == "height")
    means = [1.42 + 0.02 * seed for seed in range(4)]
    half = 3.182446 * stdev(means) / 2  # Student's t for three degrees of freedom, from a table
    assert height.summary.count == 4 and height.summary.mean == pytest.approx(mean(means))
    assert height.summary.high - height.summary.mean == pytest.approx(half, rel=1e-5)
    assert height.what == "over 4 runs, in each mean of 2"
    counts = {one.claim.name: one.counts for one in summary.claims}
    # Whole interval of two values 0.02 apart: about 0.127 to each side of 1.42 + 0.02 s, in 1.4 to 1.6 for none.
    assert counts["height"] == {"held": 0, "failed": 0, "not settled": 4}
    assert counts["gain"] == {"held": 0, "failed": 0, "not settled": 4}
    assert list(summary.runs) == [0, 1, 2, 3] and not summary.missing


@pytest.mark.slow
def test_a_claim_that_was_not_asked_of_own_data_is_left_out(seeded, source, store) -> None:
    claims = tuple(replace(one, data="height" if one.name == "height" else "") for one in seeded.claims)
    own = replace(seeded.presets["quick"], height=9.0)
    asked = replace(plan(replace(seeded, claims=claims), source, range(2)), settings=own)
    for seed in range(2):
        run(asked.experiment, own, store, source=source, preset="quick", seed=seed)
    assert [one.claim.name for one in asked.merged(store, {}).claims] == [
        one.name for one in claims if not one.data
    ]


@pytest.mark.slow
def test_what_is_missing_says_why_and_counts_for_nothing(seeded, source, store) -> None:
    made(seeded, source, store, 0)
    asked = plan(seeded, source, range(3))
    summary = asked.merged(store, {asked.keys[1]: "it broke"})
    assert summary.missing == {1: "it broke", 2: "not run"} and list(summary.runs) == [0]
    assert {one.summary.count for one in summary.numbers} == {1}
    plain = summary.plain()
    assert plain["missing"] == {"1": "it broke", "2": "not run"} and list(plain["seeds"]) == ["0"]
    assert plain["claims"][0]["counts"]["not settled"] == 1
