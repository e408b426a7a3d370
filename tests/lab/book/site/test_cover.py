from dataclasses import replace

import pytest

from regard.lab.book.leads import LEADS
from regard.lab.book.site import cover as module
from regard.lab.book.site.cover import FINDINGS, cover
from regard.lab.book.site.page import plain
from regard.lab.book.thumbnail import KeyEntry, Thumbnail
from regard.lab.records.record import Record
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
def test_what_was_left_out_of_the_book_is_not_run_here(contents) -> None:
    assert "not run here" not in cover(contents).body
    left = [replace(one, state="not run") if one.item == 6 else one for one in contents.items]
    body = cover(replace(contents, items=left)).body
    duke = next(row for row in body.split("<tr>") if "/courses/duke.html" in row)
    assert '<th scope="col" class="number">not run here</th>' in body
    assert '<td class="number held">0</td>' in duke and '<td class="number">1</td>' in duke


@pytest.mark.slow
def test_records_older_than_their_code_are_counted(contents) -> None:
    record = Record("heights", "full", (), {}, 0, "2026-01-01", 1.0, {}, {}, {}, {}, {})
    known = replace(contents, records={"heights": record})
    assert "older than the code" not in cover(known).body
    assert "1 of 1 records is older than the code" in cover(replace(known, stale={"heights": ["a.py"]})).body


@pytest.mark.slow
def test_a_finding_has_its_title_its_sentence_and_its_figure(contents, monkeypatch) -> None:
    monkeypatch.setattr(module, "FINDINGS", ("heights", "others"))
    body = cover(contents).body
    assert body.count('<li class="card">') == 2
    assert "It is 1.51 m high." in body and 'href="/experiments/others.html"' in body
    assert 'aria-label="A line &amp; a &#34;quote&#34;."' in body


@pytest.mark.slow
def test_a_figure_that_says_nothing_at_this_size_gives_way_to_one_that_does(contents, monkeypatch) -> None:
    told = module.finding("heights", contents)
    assert told.caption == 'A line & a "quote".' and told.chart and "height, m" in told.chart.below
    monkeypatch.setitem(LEADS, "heights", "cells")
    assert module.finding("heights", contents) == told, "the leading figure is a picture without axes"


def test_there_are_seven_findings_all_of_them_experiments() -> None:
    assert len(FINDINGS) == 7 and set(FINDINGS) <= set(names())


@pytest.mark.slow
def test_the_columns_are_named_by_what_is_in_them_and_records_by_the_signs_of_the_columns(contents) -> None:
    body = cover(contents).body
    heads = [[plain(one) for one in row.split("</th>")[:-1]] for row in body.split("<thead>")[1:]]
    heads = [[one for one in row if one][:5] for row in heads]
    assert heads[0] == ["chapter", "✓ held", "✗ failed", "– not settled", "recorded ✓ / ✗ / –"]
    assert heads[1][:4] == ["course", "✓ held", "✗ failed", "– not settled"]
    assert "about attention" in plain(body)


@pytest.mark.slow
def test_a_key_of_nine_entries_is_whole(contents, monkeypatch) -> None:
    key = [KeyEntry("red", False, f"curve {number}.") for number in range(9)]
    chart = Thumbnail("<svg></svg>", "", "", key, fixed=False)
    monkeypatch.setattr(module, "FINDINGS", ("heights",))
    monkeypatch.setattr(module, "thumbnail", lambda svg, name: chart)
    assert all(f"curve {number}." in cover(contents).body for number in range(9))
