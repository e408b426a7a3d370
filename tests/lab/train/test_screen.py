from pathlib import Path

import pytest

from regard.lab.events import Event, Metric, ProgressEvent, TextEvent
from regard.lab.store.run import Run
from regard.lab.train.screen import narrated, show_trained


def test_losses_and_samples_are_shown_and_everything_is_passed_on(capsys) -> None:
    seen: list[Event] = []
    watch = narrated(seen.append)
    events = [
        TextEvent("A sample after step 3", "to [be]"),
        Metric("held-out loss", 1.5, at={"step": 0}),
        Metric("held-out loss", 2.0, at={"step": 1000}),
        Metric("held-out loss", 2.5, at={"step": 2000}),
        Metric("training loss", 1.0, at={"step": 2000}),
        ProgressEvent("step 3", 0.5),
    ]
    for one in events:
        watch(one)
    out = capsys.readouterr().out
    assert seen == events
    assert out == (
        "A sample after step 3\nto [be]\n"
        "held-out loss 1.5000 on some of the windows before training\n"
        "held-out loss 2.0000 on some of the windows after step 1,000, the best so far\n"
        "held-out loss 2.5000 on some of the windows after step 2,000\n"
    )


@pytest.mark.parametrize("text", ["Жили-были", "道可道"])
def test_samples_of_any_alphabet_are_shown(capsys, text: str) -> None:
    narrated(lambda event: None)(TextEvent("A sample", text))
    assert text in capsys.readouterr().out


@pytest.mark.parametrize(("untrained", "learned"), [(2.0, False), (4.0, True)])
def test_a_text_that_teaches_nothing_beyond_itself_is_told(
    capsys, monkeypatch, untrained: float, learned: bool
) -> None:
    ends = {
        "held-out loss at the end": 3.0,
        "held-out loss at the end, nats a character": 3.0,
        "step of the best checkpoint": 5,
        "steps": 9,
        "passes over the texts": 100,
    }
    measured = [Metric("held-out loss", untrained, at={"step": 0})]
    measured += [Metric(name, value) for name, value in ends.items()]
    monkeypatch.setattr(Run, "measured", measured)
    monkeypatch.setattr("regard.lab.train.screen.show_outcome", lambda run: None)
    show_trained(Run(Path("train-1")))
    out = " ".join(capsys.readouterr().out.split())
    told = "no better than 2.0000 before training: the texts are too short, and what it says it has by heart"
    assert (told not in out) == learned
    assert "on all that was held out: loss 3.0000 nats a token (3.0000 a character) at step 5 of 9" in out
