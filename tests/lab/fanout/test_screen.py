"""What a person sees of a fan-out."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from regard.claims import Claim
from regard.lab.book.report import ReportedNumber
from regard.lab.fanout import screen as module
from regard.lab.fanout.dispatcher import Dispatcher, Tally, Task
from regard.lab.fanout.screen import FanoutScreen, show_seeds
from regard.lab.fanout.seeds import ClaimCount, SeedSummary
from regard.lab.statistics import summarise
from regard.lab.store.run import Run


class Standing(Dispatcher):
    """A dispatcher that stands still."""

    def __init__(self, running: int, left: int, lost: int) -> None:
        names = {i: (Task(str(i), f"cora, seed {i}", ""), f"node7 process {i}") for i in range(running)}
        self.running, self.tally, self._open = names, Tally(lost=lost), set(map(str, range(left)))


@pytest.fixture
def console(monkeypatch):
    def of(terminal: bool) -> Console:
        made = Console(force_terminal=terminal, width=100, record=True, highlight=False)
        monkeypatch.setattr(module, "console", made)
        return made

    return of


def test_a_terminal_shows_a_line_for_each_worker_and_how_many_are_done(console, capsys) -> None:
    console(True)
    with FanoutScreen(10) as screen:
        screen.see(Standing(running=2, left=7, lost=1))
    seen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().out)
    assert re.search(r"node7 process 1 +cora, seed 1 +0 s", seen)
    assert "3 of 10 done, 2 running, 1 worker lost and their runs redone" in seen


def test_of_very_many_workers_some_are_shown_and_the_others_counted(console, capsys) -> None:
    console(True)
    with FanoutScreen(1000) as screen:
        screen.see(Standing(running=500, left=900, lost=0))
    seen = capsys.readouterr().out
    assert "process 19" in seen and "process 20" not in seen and "and 480 more" in seen


def test_a_pipe_gets_a_line_now_and_then(console, capsys, monkeypatch) -> None:
    console(False)
    with FanoutScreen(4) as screen:
        screen.see(Standing(running=1, left=4, lost=0))
        assert capsys.readouterr().out == ""
        monkeypatch.setattr(module, "QUIET_STEP", -1.0)
        screen.see(Standing(running=1, left=4, lost=0))
    assert capsys.readouterr().out == "0 of 4 done, 1 running: cora, seed 0 for 0 s (node7 process 0)\n"


@pytest.mark.parametrize(("values", "said"), [([0.52] * 3, True), ([0.52, 0.52, 0.53], False)])
def test_runs_that_take_no_notice_of_their_seed_are_told_as_such(
    console, experiment, capsys, values: list[float], said: bool
) -> None:
    console(False)
    numbers = [ReportedNumber("share", summarise(values), "over 3 runs, in each once")]
    runs = {seed: Run(Path(f"heights-{seed}")) for seed in range(3)}
    show_seeds(SeedSummary(replace(experiment, name="heights"), runs, {}, numbers, []))
    told = "the same in all 3 runs: nothing that was measured depends on the seed\n"
    assert (told in capsys.readouterr().out) == said


def test_the_table_of_seeds_has_intervals_counts_and_what_is_missing(console, experiment, capsys) -> None:
    console(False)
    numbers = [ReportedNumber("height", summarise([1.0, 2.0, 3.0]), "over 3 runs, in each once")]
    counts = [ClaimCount(Claim("height", low=1.4), {"held": 2, "failed": 1, "not settled": 0})]
    summary = SeedSummary(replace(experiment, name="heights"), {}, {3: "it broke"}, numbers, counts)
    show_seeds(summary)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "height 2 -0.4841 to 4.484 3" in lines
    assert "height at least 1.4 ✓ 2 ✗ 1 – 0" in lines
    assert "missing seed 3: it broke" in lines
