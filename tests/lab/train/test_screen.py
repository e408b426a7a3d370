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
        Metric("held-out loss", 2.2, at={"step": 0}),
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
        "held-out loss 2.2000 before training\n"
        "held-out loss 2.0000 after step 1,000, the best so far\n"
        "held-out loss 2.5000 after step 2,000\n"
    )


def test_the_best_so_far_is_below_what_was_before_training_and_before_it_was_taken_up(capsys) -> None:
    events = [Metric("held-out loss", value, at={"step": step}) for step, value in ((0, 1.5), (9, 2.0))]
    watch = narrated(lambda event: None)
    for one in events:
        watch(one)
    again = narrated(lambda event: None, [*events, Metric("held-out loss of the best checkpoint", 0.1)])
    for value in (1.6, 1.4, 1.45):
        again(Metric("held-out loss", value, at={"step": 20}))
    told = [line.removeprefix("held-out loss ") for line in capsys.readouterr().out.splitlines()]
    assert told == [
        "1.5000 before training",
        "2.0000 after step 9",
        "1.6000 after step 20",
        "1.4000 after step 20, the best so far",
        "1.4500 after step 20",
    ]


@pytest.mark.parametrize("text", ["Жили-были", "道可道"])
def test_samples_of_any_alphabet_are_shown(capsys, text: str) -> None:
    narrated(lambda event: None)(TextEvent("A sample", text))
    assert text in capsys.readouterr().out


def test_a_training_opens_with_what_it_learned_and_ends_with_how_it_speaks(capsys, monkeypatch) -> None:
    monkeypatch.setattr("regard.lab.train.screen.show_outcome", lambda run: print("the loss"))
    show_trained(Run(Path("train-1")))
    assert capsys.readouterr().out == "the loss\nlet it speak: regard generate train-1\n"
