"""The screen: one probe tells what is worth a whole trial."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from regard.checker.contracts.table import named
from regard.checker.fix.screen import FixScreen, Screened
from regard.checker.fix.trial import FixGoal, FixTrial
from regard.checker.reading.place import opened
from regard.checker.wishes import Wishes

WRONG = """import torch


def layer_norm(x, weight, bias, eps=1e-5):
    m = x.mean(-1, keepdim=True)
    v = x.var(-1, keepdim=True)
    return (x - m) / torch.sqrt(v + eps) * weight + bias
"""
RIGHT = WRONG.replace("x.var(-1, keepdim=True)", "x.var(-1, keepdim=True, unbiased=False)")


@pytest.fixture(scope="module")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FixScreen]:
    file = tmp_path_factory.mktemp("screen") / "mine.py"
    file.write_text(WRONG, encoding="utf-8")
    with FixTrial(opened(str(file)), named("layer-norm"), "layer_norm", Wishes(strict=True), 11) as trial:
        found = trial.screen(WRONG, FixGoal())
        assert found is not None
        yield found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (RIGHT, Screened.NEAR),
        (WRONG + "\n\n", Screened.SAME),
        (WRONG.replace("+ bias", "- bias"), Screened.FAR),
        (WRONG.replace("x.mean", "x.meen"), Screened.FAR),
        (WRONG.replace("def layer_norm", "def other"), Screened.UNKNOWN),
    ],
)
def test_one_probe_tells_what_is_near(screen: FixScreen, text: str, seen: Screened) -> None:
    assert screen.look(text) is seen


@pytest.mark.slow
def test_a_file_that_cannot_be_made_has_no_screen(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("raise ValueError\n", encoding="utf-8")
    with FixTrial(opened(str(file)), named("layer-norm"), "layer_norm", Wishes(), 11) as trial:
        assert trial.screen("raise ValueError\n", FixGoal()) is None
