from dataclasses import dataclass, field

import pytest

from regard.lab import registry
from regard.lab.book.trials import settings, trials
from regard.lab.experiment import Experiment, NoSettings
from regard.lab.settings import change


@dataclass(frozen=True, kw_only=True)
class Settings:
    rate: float = 0.5
    "How fast."
    widths: tuple[int, ...] = (4, 16)
    "How wide."
    steps: int = 10
    "How long."


def made(**presets) -> Experiment:
    return Experiment(name="mine", question="?", presets=presets, run=lambda settings, context: iter(()))


def test_a_number_is_doubled_and_the_full_size_named_where_there_is_one() -> None:
    assert trials(made(quick=Settings())) == ["regard run mine --set steps=20"]
    assert trials(made(quick=Settings(), full=Settings()))[-1] == "regard run mine --preset full"
    assert trials(made(quick=NoSettings())) == []


@dataclass(frozen=True, kw_only=True)
class Plan:
    steps: int = 10
    "How long."


@dataclass(frozen=True, kw_only=True)
class Sizes:
    countries: int = 33
    "How many there are."
    places: int = 500
    "How many are drawn."
    plan: Plan = field(default_factory=Plan)


@dataclass(frozen=True, kw_only=True)
class Bare:
    countries: int = 33
    "How many there are."
    places: int = 500
    "How many are drawn."


def test_what_is_doubled_means_more_of_the_same_or_is_larger_at_full_size() -> None:
    assert trials(made(quick=Sizes()))[0] == "regard run mine --set plan.steps=20"
    assert trials(made(quick=Bare(), full=Bare(places=900)))[0] == "regard run mine --set places=1000"
    assert trials(made(quick=Bare(), full=Bare()))[0] == "regard run mine --set countries=66"


def test_every_setting_has_its_sentence_and_its_value_in_both_presets() -> None:
    rows = settings(made(quick=Settings(), full=Settings(steps=99, widths=tuple(range(60)))))
    assert [(one.name, one.what, one.quick) for one in rows] == [
        ("rate", "How fast.", "0.5"), ("widths", "How wide.", "4,16"), ("steps", "How long.", "10"),
    ]  # fmt: skip
    assert rows[2].full == "99" and len(rows[1].full) == 60 and rows[1].full.endswith("…")
    assert settings(made(quick=Settings()))[0].full == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.names())
def test_a_command_that_a_page_proposes_is_one_that_the_settings_take(name: str) -> None:
    experiment, _ = registry.find(name)
    doubled, *_ = trials(experiment)
    assert change(experiment.presets["quick"], [doubled.rpartition(" ")[2]]) != experiment.presets["quick"]
