"""What a person reads, word for word; and nothing that steers a terminal."""

from dataclasses import replace
from typing import Literal

import pytest

from regard.checker.reading.source import Place
from regard.checker.report.report import Report
from regard.checker.report.terminal import clean, shade, show
from regard.checker.report.verdict import Finding, Picture, Verdict, manner

MISTAKE = Finding(
    kind="mistake",
    slug="scale-width",
    sentence="the scores are divided by the wrong root",
    law="the weights are right",
    evidence=("the correct reference is 19 % away",),
    place=Place(7, "att = att / math.sqrt(C)"),
    remedy="use the head width",
    page="causal-attention#scale-width",
)
VERDICT = Verdict(
    contract="causal-attention",
    member="Attention",
    state="mistake",
    sentence=MISTAKE.sentence,
    findings=(MISTAKE, Finding(kind="convention", slug="fused-order", sentence="another order")),
    notes=("q, k, v = the thirds of c_attn.weight",),
    precision="float32",
    picture=Picture(
        title="weights: expected and yours",
        expected=[[1.0, 0.0], [0.5, 0.5]],
        actual=[[0.5, float("nan")], [0.0, 1.0]],
    ),
    seconds=0.26,
)
REPORT = Report(target="mine.py", verdicts=(VERDICT,))


def test_a_mistake_in_full() -> None:
    assert str(REPORT).splitlines() == [
        "mistake  Attention as causal-attention  (0.3 s)",
        "  scale-width: the scores are divided by the wrong root",
        "    evidence: the correct reference is 19 % away",
        "    look at:  mine.py:7  att = att / math.sqrt(C)",
        "    fix:      use the head width",
        "    read:     regard check --page causal-attention#scale-width",
        "  convention: another order",
        "  weights: q, k, v = the thirds of c_attn.weight",
        "  it runs in float32 only, and was judged in float32",
    ]


@pytest.mark.parametrize("kind", ["weak", "convention"])
def test_how_it_is_correct_is_said_once_with_its_evidence(kind: Literal["weak", "convention"]) -> None:
    way = Finding(kind=kind, slug="way", sentence="a node hears all", evidence=("seen",), declared=False)
    told = Finding(kind="convention", slug="told", sentence="as the file says")
    head = manner((way, told))
    found = replace(VERDICT, state="correct", sentence=f"{head}; it is a layer", findings=(way, told))
    report = replace(REPORT, verdicts=(replace(found, precision="", notes=()),))
    assert str(report).splitlines() == [
        f"{head}  Attention as causal-attention  (0.3 s)",
        "        it is a layer",
        "    evidence: seen",
        "  convention: as the file says",
    ]
    page = report._repr_html_()
    assert page.count("a node hears all") == 1 and "as the file says" in page


def test_a_hint_gives_nothing_away() -> None:
    assert str(replace(REPORT, level="hint")).splitlines() == [
        "mistake  Attention as causal-attention  (0.3 s)",
        "  this must hold and does not: the weights are right",
    ]


def test_an_explanation_has_the_picture() -> None:
    assert str(replace(REPORT, level="explain")).splitlines()[-3:] == [
        "  weights: expected and yours",
        "    ██     ▒▒??",
        "    ▒▒▒▒     ██",
    ]


def test_words_of_a_stranger_cannot_steer_the_terminal() -> None:
    assert clean("a\x1b[31mred\x07\u202e\nb") == "a?[31mred??\nb".replace("\n", " ")


def test_the_target_may_name_a_class() -> None:
    assert "look at:  mine.py:7" in str(replace(REPORT, target="mine.py:Attention"))


def test_what_is_shown_is_what_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    show(REPORT)
    assert capsys.readouterr().out.splitlines() == str(REPORT).splitlines()


def test_an_infinite_weight_has_the_darkest_shade() -> None:
    assert shade([float("inf"), float("-inf"), 0.5], 1.0) == "██  ▒▒"
