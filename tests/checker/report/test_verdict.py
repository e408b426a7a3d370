"""What a verdict names."""

from regard.checker.report.verdict import Finding, Verdict


def test_the_mistakes_it_names() -> None:
    found = tuple(Finding(kind=kind, slug=kind, sentence="") for kind in ("mistake", "convention", "unknown"))
    assert Verdict(contract="rotary", member="f", state="mistake", sentence="", findings=found).slugs == (
        "mistake",
    )
