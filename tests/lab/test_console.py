import pytest

from regard.lab import console as terminal
from regard.lab.console import Screen, _ranges, _unit
from regard.lab.events import ProgressEvent
from regard.lab.runner import run


@pytest.fixture
def printed(monkeypatch, capsys):
    monkeypatch.setattr(terminal.console, "_width", 200)
    return lambda: capsys.readouterr().out


def test_items_are_said_in_few_words() -> None:
    assert _ranges((25, 23, 24, 31)) == "23-25, 31"


@pytest.mark.parametrize(("value", "text"), [(2.5, "2.5 s"), (0.0125, "12.5 ms"), (4.2e-6, "4.2 µs")])
def test_seconds_are_said_in_the_unit_that_fits(value: float, text: str) -> None:
    assert _unit(value, "s") == text


@pytest.mark.slow
def test_the_outcome_names_each_claim_its_value_and_its_band(experiment, store, source, printed) -> None:
    terminal.show_outcome(run(experiment, experiment.presets["quick"], store, source=source, preset="quick"))
    text = printed()
    assert (
        "✓ held        height = 1.51  claimed 1.4 to 1.6" in text
        and "only the full preset settles it" in text
        and "report.html" in text
    )


def test_where_there_is_no_terminal_progress_is_told_in_lines(experiment, printed) -> None:
    with Screen([experiment, experiment]) as screen:
        watch = screen.watch(experiment)
        screen._said = 0.0
        watch(ProgressEvent("half", 0.5))
    assert "25 %  heights: half" in printed()


def test_an_experiment_is_shown_with_its_settings_and_their_sentences(experiment, printed) -> None:
    terminal.show_experiment(experiment, "quick")
    text = printed()
    assert "inner.depth" in text and "How deep." in text and "1.4 to 1.6" in text
