from dataclasses import replace

import pytest

from regard.lab.book.coverage import coverage
from regard.lab.runner import run
from regard.lab.store.entries import entries


def states(experiment, store) -> dict[int, str]:
    return {one.item: one.state for one in coverage([experiment], entries(store))}


@pytest.mark.slow
def test_every_item_has_a_state_and_an_owned_one_follows_its_runs(experiment, store, source) -> None:
    before = states(experiment, store)
    assert len(before) == 93 and (before[6], before[7], before[42]) == ("not run", "open", "not applicable")
    run(experiment, experiment.presets["quick"], store, source=source, preset="quick")
    assert states(experiment, store)[6] == "held"


@pytest.mark.slow
def test_a_run_with_changed_settings_answers_for_nothing(experiment, store, source) -> None:
    run(experiment, experiment.presets["quick"], store, source=source, preset="quick", changes=["height=1"])
    (item,) = [one for one in coverage([experiment], entries(store)) if one.item == 6]
    assert item.state == "run with changed settings only"
    assert {one.here for one in item.claims} == {"run with changed settings only"}


def test_a_run_out_of_time_leaves_its_items_unsettled(experiment, store, source) -> None:
    run(experiment, experiment.presets["quick"], store, source=source, preset="quick", minutes=1e-9)
    assert states(experiment, store)[6] == "not settled"


def test_an_item_knows_who_asks_it_and_everything_that_answers_it(experiment, store) -> None:
    theorem = replace(experiment, name="theory-heights", claims=(), derives=(6, 8))
    items = {one.item: one for one in coverage([experiment, theorem], entries(store))}
    assert (items[6].source, items[6].question, items[6].text) == (
        "Duke HW3",
        "3a",
        "a sample of an untrained GPT",
    )
    assert items[6].answers == ("heights", "theory-heights") and items[6].owner == "heights"
    assert items[8].answers == ("theory-heights",) and items[8].state == "open"
    assert items[93].answers == () and items[93].source == "Toronto A4"
