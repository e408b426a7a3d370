"""Exit codes and JSON of a report."""

import json

import pytest

from regard.checker.report.report import Report
from regard.checker.report.verdict import Finding, Verdict


def verdict(state: str, **more) -> Verdict:
    return Verdict(contract="rotary", member="f", state=state, sentence="a sentence", **more)


@pytest.mark.parametrize(
    ("states", "code"),
    [
        (["correct"], 0),
        (["mistake"], 1),
        (["undecided"], 3),
        (["correct", "mistake"], 1),
        (["undecided", "mistake"], 1),
        (["correct", "undecided"], 3),
        ([], 3),
    ],
)
def test_a_mistake_outweighs_what_is_undecided(states: list[str], code: int) -> None:
    assert Report(target="a.py", verdicts=tuple(map(verdict, states))).code == code


def test_a_report_is_json() -> None:
    report = Report(
        target="a.py",
        verdicts=(verdict("mistake", findings=(Finding(kind="mistake", slug="a-b", sentence="why"),)),),
    )
    plain = json.loads(json.dumps(report.plain()))
    assert plain["code"] == 1
    assert plain["verdicts"][0]["findings"][0]["slug"] == "a-b"
