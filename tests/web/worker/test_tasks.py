"""What the worker can be asked for."""

import re

import pytest

from regard.errors import RegardError
from regard.lab import registry
from regard.web.worker.models import Models
from regard.web.worker.tasks import STREAMS, TASKS

NOTHING = Models([])


def test_the_catalogue_has_every_experiment() -> None:
    found = TASKS["catalogue"](NOTHING, {})["experiments"]
    assert [one["name"] for one in found] == registry.names()
    assert all(set(one["presets"]) >= {"quick"} for one in found)


def test_changes_are_the_words_of_the_command_line() -> None:
    asked = {"experiment": "karate", "preset": "quick", "settings": {"epochs": 7, "seeds": 3, "rate": 0.5}}
    assert TASKS["changes"](NOTHING, asked) == {"changes": ["epochs=7", "rate=0.5"]}
    for settings in ({"epochs": 0}, {"graph": "x.csv"}, {"seeds": "many"}):
        with pytest.raises(RegardError):
            TASKS["changes"](NOTHING, asked | {"settings": settings})


def test_streams_are_the_two_that_speak() -> None:
    assert set(STREAMS) == {"generate", "beam"}


def test_the_page_of_a_contract_or_of_a_mistake_leads_to_others_like_it_and_nowhere_else() -> None:
    page = TASKS["explain"](NOTHING, {"contract": "causal-attention", "slug": "scale-width"})["page"]
    assert page.startswith("<!doctype html>") and "Why it is wrong" in page and "<svg" in page
    assert set(re.findall(r'href="([^"]+)"', page)) == {"../causal-attention.html"}
    whole = TASKS["explain"](NOTHING, {"contract": "causal-attention", "slug": ""})["page"]
    assert 'href="causal-attention/scale-width.html"' in whole and "Known mistakes" in whole
    for slug in ("none", "scale-width.html"):
        with pytest.raises(RegardError) as error:
            TASKS["explain"](NOTHING, {"contract": "causal-attention", "slug": slug})
        assert error.value.what == "no such contract or mistake"
