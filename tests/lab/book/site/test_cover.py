import pytest

from regard.lab.book.site import cover as module
from regard.lab.book.site.cover import FINDINGS, cover
from regard.lab.registry import find, names


@pytest.mark.slow
def test_the_cover_counts_claims_by_chapter_and_questions_by_course(contents) -> None:
    body = cover(contents).body
    claims = 4 + 1 + len(find("theory-beam-search")[0].claims)
    assert f"3 experiments put {claims} claims" in body and "gone: it broke, badly" in body
    rows = [row.split("</tr>")[0] for row in body.split("<tr>")]
    text = next(row for row in rows if "#claims-text" in row)
    assert [
        f'class="number {kind}">{count}<' in text for kind, count in (("held", 2), ("failed", 1), ("open", 2))
    ] == [True] * 3
    assert sum('href="/courses/' in row for row in rows) == 5


@pytest.mark.slow
def test_a_finding_has_its_title_its_sentence_and_its_figure(contents, monkeypatch) -> None:
    monkeypatch.setattr(module, "FINDINGS", ("heights", "others"))
    body = cover(contents).body
    assert body.count('<li class="card">') == 2
    assert "It is 1.51 m high." in body and 'href="/experiments/others.html"' in body
    assert 'aria-label="A line &amp; a &#34;quote&#34;."' in body


def test_there_are_seven_findings_all_of_them_experiments() -> None:
    assert len(FINDINGS) == 7 and set(FINDINGS) <= set(names())
