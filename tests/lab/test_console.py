from dataclasses import replace

import pytest
from rich.text import Text

from regard.lab import console as terminal
from regard.lab.bench import Machine, Reading, Result
from regard.lab.console import Screen, _unit
from regard.lab.events import ProgressEvent, TextEvent
from regard.lab.runner import run
from regard.lab.store.diff import changes


@pytest.fixture
def printed(monkeypatch, capsys):
    monkeypatch.setattr(terminal.console, "_width", 200)
    return lambda: capsys.readouterr().out


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


@pytest.mark.slow
def test_a_run_is_shown_with_what_its_numbers_come_from(experiment, store, source, printed) -> None:
    ours = replace(experiment, chapter="graphs")
    done = run(ours, ours.presets["quick"], store, source=source, preset="quick", seed=4)
    terminal.show_run(done)
    text = printed()
    for part in ("regard run heights --seed 4", done.request["key"][:16], "0 to 2", done.id, "torch"):
        assert part in text, part


def test_where_there_is_no_terminal_progress_is_told_in_lines(experiment, printed) -> None:
    with Screen([experiment, experiment]) as screen:
        watch = screen.watch(experiment)
        screen._said = 0.0
        watch(ProgressEvent("half", 0.5))
        watch(ProgressEvent("at once again", 0.6))
    said = printed()
    assert "25 %  heights: half" in said and "at once again" not in said


def test_a_terminal_gets_one_estimate_and_none_at_the_end(experiment, monkeypatch) -> None:
    now = [100.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(terminal.console, "_width", 80)
    screen = Screen([experiment])
    see = screen.watch(experiment)

    def shown(seconds: float, event: ProgressEvent) -> str:
        now[0] = 100.0 + seconds
        see(event)
        with terminal.console.capture() as caught:
            terminal.console.print(screen._progress.get_renderable())
        return caught.get()

    known = shown(2.0, ProgressEvent("step 2, loss 3.367", 0.001, left=14.0))
    assert known.count("left") == 1 and "so far, about 0:14 left" in known and "step 2, loss 3.367" in known
    assert known.count("\n") == 1
    assert "left" not in shown(3.0, ProgressEvent("begun", 0.01))
    assert "about 0:30 left" in shown(10.0, ProgressEvent("a quarter", 0.25))
    assert "left" not in shown(40.0, ProgressEvent("judging", 1.0))


def test_a_claim_that_does_not_fit_is_set_in_where_it_goes_on(
    experiment, store, source, monkeypatch, capsys
) -> None:
    monkeypatch.setattr(terminal.console, "_force_terminal", True)
    monkeypatch.setattr(terminal.console, "_width", 40)
    done = run(experiment, experiment.presets["quick"], store, source=source, preset="quick")
    terminal.show_outcome(done)
    lines = Text.from_ansi(capsys.readouterr().out).plain.splitlines()
    at = next(place for place, line in enumerate(lines) if "height = 1.51" in line)
    assert lines[at + 1].startswith(" " * 14) and max(map(len, lines[at : at + 5])) <= 40


def test_an_experiment_is_shown_with_its_settings_and_their_sentences(experiment, printed) -> None:
    terminal.show_experiment(experiment, "quick")
    text = printed()
    assert "inner.depth" in text and "How deep." in text and "1.4 to 1.6" in text


@pytest.fixture(params=[80, 40])
def narrow(request, monkeypatch, capsys):
    """What a narrow terminal shows, without the breaks of lines."""
    monkeypatch.setattr(terminal.console, "_force_terminal", True)
    monkeypatch.setattr(terminal.console, "_width", request.param)
    return lambda: " ".join(capsys.readouterr().out.split())


def test_a_figure_of_a_comparison_is_named_in_full_at_every_width(narrow) -> None:
    reading = Reading(0.0125, 0.012, 0.013, "s")
    one = Result(
        comparison="graph-attention", name="memory of a layer of eight heads", value=reading, ours=reading,
        peer=reading, bar="at most 0.02", low=None, high=0.02, state="held", floor_seconds=0.01, distance=1.25,
        threads=1, machine=Machine("planted", 2, "Linux", "3.11", "2.13"),
    )  # fmt: skip
    terminal.show_results([one])
    text = narrow()
    assert (
        "graph-attention: memory of a layer of eight heads" in text and "12.5 ms" in text and "held" in text
    )
    assert "10 ms (1.25 ×)" in text


def test_a_run_its_experiment_and_its_changes_are_named_in_full_at_every_width(
    experiment, store, source, narrow
) -> None:
    first, second = (
        run(experiment, settings, store, source=source, preset=name)
        for name, settings in experiment.presets.items()
    )
    terminal.show_run(first)
    text = narrow()
    assert "height" in text and "1.51" in text and "new minus old, paired" in text
    terminal.show_experiment(experiment, "quick")
    assert "inner.depth" in narrow()
    terminal.show_changes(first, second, changes(first, second))
    text = narrow()
    assert first.id in text and second.id in text and "seeds" in text


def test_a_pipe_gets_each_verdict_and_each_row_in_one_line(
    experiment, store, source, monkeypatch, capsys
) -> None:
    monkeypatch.setattr(terminal.console, "_width", 40)
    terminal.show_run(run(experiment, experiment.presets["quick"], store, source=source, preset="quick"))
    lines = capsys.readouterr().out.splitlines()
    assert "✓ held        height = 1.51  claimed 1.4 to 1.6" in lines
    assert any(line.startswith("gain") and line.endswith("new minus old, paired") for line in lines)


@pytest.mark.slow
def test_a_run_without_claims_says_so_and_which_text_it_read(experiment, store, source, printed) -> None:
    def told(settings, context):
        yield TextEvent(
            "The text", "The text is your own: [mine].txt. The first 9 of its 99 characters are used."
        )

    bare = replace(experiment, claims=(), run=told)
    terminal.show_outcome(run(bare, bare.presets["quick"], store, source=source, preset="quick"))
    text = printed()
    assert (
        "this run has no claims" in text and "[mine].txt. The first 9 of its 99 characters are used." in text
    )


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "command"), [("run", "regard run"), ("train", "regard train --resume")])
def test_a_run_that_ran_out_of_time_is_taken_up_by_its_own_verb(
    experiment, store, source, printed, verb: str, command: str
) -> None:
    def saves(settings, context):
        (context.folder / "checkpoint").write_text("1")
        yield ProgressEvent("on", 0.5)

    late = replace(experiment, verb=verb, run=saves)
    words = {"source": source, "preset": "quick", "minutes": 1e-9}
    terminal.show_outcome(run(late, late.presets["quick"], store, **words))
    assert f"go on with: {command}" in printed()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "minutes", "told"),
    [
        (0.25, " --minutes 1", ", and 25 % of it was done in 0 s"),
        (0.0, "", "; give it more --minutes, or none"),
    ],
)
def test_a_run_that_saved_nothing_begins_anew_and_says_which_minutes_would_do(
    experiment, store, source, printed, share: float, minutes: str, told: str
) -> None:
    def forgets(settings, context):
        yield ProgressEvent("on", share)

    late = replace(experiment, run=forgets)
    words = {"source": source, "preset": "quick", "minutes": 1e-9}
    done = run(late, late.presets["quick"], store, **words)
    terminal.show_outcome(done)
    said = printed()
    assert "go on with" not in said and f" --resume {done.id}{minutes}\n" in said
    assert f"nothing was saved on its way: it begins from its start again{told}\n" in said
    terminal.show_taken_up(done)
    assert printed() == "nothing was saved on its way: it begins anew\n"
    (done.path / "checkpoints").mkdir()
    terminal.show_taken_up(done)
    assert printed() == "goes on from what it saved: checkpoints\n"


def test_who_is_asked_to_stop_keeps_the_share_that_was_done(experiment, printed) -> None:
    with Screen([experiment]) as screen:
        watch = screen.watch(experiment)
        watch(ProgressEvent("half", 0.5))
        screen._said = 0.0
        watch(ProgressEvent("stopping at the next step", -1.0))
    assert " 50 %  heights: stopping at the next step" in printed()
