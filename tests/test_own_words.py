"""Experiments that take a person's own data speak of that data, and every one of them is held to it."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

import own_words
from regard.experiments.text.corpus import TextSource
from regard.lab import registry
from regard.lab.book.ideas import IDEAS
from regard.lab.experiment import Experiment
from regard.lab.ranges import OwnPath

TESTS = Path(__file__).parent / "experiments"


def takes(experiment: Experiment) -> set[str]:
    """The settings by which a person brings data."""
    kind = type(experiment.presets["quick"])
    hints = get_type_hints(kind, include_extras=True)
    return {
        one.name
        for one in fields(kind)
        if any(
            isinstance(rule, OwnPath | TextSource) for rule in getattr(hints[one.name], "__metadata__", ())
        )
    }


OPEN = {one.name: one for one in registry.everything() if "quick" in one.presets and takes(one)}


def test_the_list_of_words_has_every_experiment_that_takes_data() -> None:
    assert set(own_words.ORIGINAL) == set(OPEN)


@pytest.mark.parametrize("name", OPEN)
def test_what_is_said_of_an_experiment_over_ones_own_data_fits_it(name: str) -> None:
    one = OPEN[name]
    own = one.own
    said = [one.question, one.method, one.see, IDEAS[name]]
    if own is not None:
        assert own.data in takes(one)
        said = [own.question, own.method or one.method, own.see or one.see, own.idea or IDEAS[name]]
    assert not own_words.strangers(name, said)


@pytest.mark.parametrize("name", OPEN)
def test_claims_that_are_asked_of_ones_own_data_fit_it(name: str) -> None:
    asked = [one for one in OPEN[name].claims if not one.data]
    assert not own_words.strangers(
        name, [text for one in asked for text in (one.name, one.why, one.says, one.otherwise, one.asks)]
    )


@pytest.mark.parametrize("name", OPEN)
def test_a_run_over_ones_own_data_is_held_to_the_list(name: str) -> None:
    call = re.compile(rf'own_words\.check\([^)]*"{name}"')
    assert any(call.search(path.read_text("utf-8")) for path in TESTS.rglob("test_*.py"))
