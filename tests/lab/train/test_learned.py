"""What a training has learned is told by its held-out loss."""

from pathlib import Path

import pytest

from regard.lab.events import Metric
from regard.lab.store.run import Run
from regard.lab.train.learned import learned


@pytest.mark.parametrize(
    ("untrained", "lowered", "letter", "said"),
    [
        (2.0, False, 3.0, "3.0000 nats a character"),
        (2.0, False, 3.0000000000000004, "3.0000 nats a character"),
        (4.0, True, 1.5, "3.0000 nats a token (1.5000 nats a character)"),
    ],
)
def test_a_text_that_teaches_nothing_beyond_itself_is_told(
    monkeypatch, untrained: float, lowered: bool, letter: float, said: str
) -> None:
    ends = {
        "held-out loss of the best checkpoint": 3.0,
        "held-out loss of the best checkpoint, nats a character": letter,
        "step of the best checkpoint": 5,
        "steps": 9,
        "passes over the texts": 100,
    }
    measured = [
        Metric("held-out loss", value, at={"step": step}) for step, value in ((0, untrained), (5, 2.9))
    ]
    measured += [Metric(name, value) for name, value in ends.items()]
    monkeypatch.setattr(Run, "measured", measured)
    out = " ".join(learned(Run(Path("train-1"))))
    told = "never below the 2.0000 from before training (lowest 2.9000): the texts are too short, or it knew them"
    assert (told not in out) == lowered
    assert f"On all that was held out: loss {said} at step 5 of 9" in out


def test_one_that_was_not_judged_has_learned_nothing_that_can_be_told(monkeypatch) -> None:
    monkeypatch.setattr(Run, "measured", [Metric("held-out loss", 3.0, at={"step": 0})])
    assert learned(Run(Path("train-1"))) == []
