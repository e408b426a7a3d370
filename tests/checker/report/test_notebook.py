"""A verdict in a notebook is escaped."""

from regard.checker.reading.source import Place
from regard.checker.report.notebook import html
from regard.checker.report.verdict import Finding, Verdict


def test_what_comes_from_a_persons_code_is_escaped() -> None:
    evil = "<script>alert(1)</script>"
    finding = Finding(
        kind="mistake",
        slug=evil,
        sentence=evil,
        law=evil,
        evidence=(evil,),
        place=Place(1, evil),
        remedy=evil,
        page=evil,
    )
    noted = Finding(kind="convention", slug="x", sentence=evil)
    for level in ("default", "hint", "explain"):
        verdict = Verdict(
            contract=evil,
            member=evil,
            state="mistake",
            sentence=evil,
            findings=(finding, noted),
            notes=(evil,),
        )
        told = html(verdict, level)
        assert "<script" not in told
        assert "&lt;script&gt;" in told
