"""The checker's own figures: a sample here, everything in the proof."""

from pathlib import Path

import pytest

from regard.checker.selftest import Figures, Outcome, selftest
from regard.errors import RegardError

HERE = Path(__file__).parent
BESSEL = """
def layer_norm(x, weight, bias, eps):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt() * weight + bias
"""


def outcome(kind: str, *, right: bool, state: str = "mistake", expected: tuple[str, ...] = ("a",)) -> Outcome:
    return Outcome(
        file=f"{kind}/x.py",
        kind=kind,
        expected=expected,
        named=(),
        state=state,
        right=right,
        seconds=1.0,
        first=0.5,
    )


def test_figures_count_what_they_say() -> None:
    figures = Figures([
        outcome("mutants", right=True),
        outcome("mutants", right=False),
        outcome("mutants", right=True, expected=("unknown",)),
        outcome("mutants", right=False, state="correct"),
        outcome("correct", right=True, state="correct"),
        outcome("correct", right=False),
        outcome("hostile", right=True),
    ])  # fmt: skip
    assert figures.share("mutants", "detected") == 0.75
    assert figures.share("mutants", "named") == 1 / 3
    assert figures.plain()["false_alarms"] == 1
    assert list(figures.lines())[:3] == [
        "mutants   4: detected 75.0%, named 33.3%",
        "correct   2 runs of 1 files: 1 false alarms",
        "hostile   1: 1 verdicts, 0 processes left",
    ]


@pytest.mark.parametrize(
    ("cause", "right"),
    [("bessel", True), ("bessel, eps-missing", False), ("mean-kept", False), ("unknown", True)],
)
def test_a_mutant_is_right_if_all_its_causes_are_named(cause: str, right: bool, tmp_path: Path) -> None:
    file = tmp_path / "mutants" / "one.py"
    file.parent.mkdir()
    file.write_text(f"# contract: layer-norm\n# cause: {cause}\n{BESSEL}", encoding="utf-8")
    (found,) = selftest(tmp_path).outcomes
    assert found.named == ("bessel",)
    assert found.right is right


def test_nothing_to_test_with_is_told(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="there is nothing to test the checker with"):
        selftest(tmp_path)


@pytest.mark.slow
def test_a_sample_is_detected_named_and_survived() -> None:
    figures = selftest(HERE, every=12, seeds=1)
    assert figures.share("mutants", "detected") >= 0.99, "\n".join(figures.lines())
    assert figures.share("mutants", "named") >= 0.95, "\n".join(figures.lines())
    assert figures.plain()["false_alarms"] == 0, "\n".join(figures.lines())
    assert figures.share("hostile", "right") == 1.0
    assert figures.left == []


@pytest.mark.proof
def test_the_figures_that_were_promised() -> None:
    figures = selftest(HERE)
    print("\n".join(figures.lines()))
    assert len(figures.of("mutants")) >= 100
    assert len({o.file for o in figures.of("correct")}) >= 40
    assert len(figures.of("hostile")) >= 60
    assert figures.share("mutants", "detected") >= 0.99
    assert figures.share("mutants", "named") >= 0.95
    assert figures.plain()["false_alarms"] == 0
    assert figures.share("hostile", "right") == 1.0
    assert figures.left == []
