import re
from dataclasses import replace

import pytest

from regard.lab import registry
from regard.lab.answer import opening
from regard.lab.book.site.contents import BookContents
from regard.lab.book.site.experiments import experiment_page
from regard.lab.book.site.page import plain
from regard.lab.events import Metric
from regard.lab.records.record import Record
from regard.lab.runner import run
from regard.lab.store.runs import Store


@pytest.fixture
def page(contents):
    return experiment_page(contents.by_name["heights"], contents)


@pytest.mark.slow
def test_a_page_opens_with_question_answer_and_figure_and_goes_on_in_order(page) -> None:
    parts = ["How high is heights?", "It is 1.51 m high.", 'id="heights-figure-line"', 'id="heights-method"', 'id="heights-numbers"',
             'id="heights-figure-cells"', 'id="heights-see"', 'id="heights-claims"', 'id="heights-correction"', 'id="heights-run"', 'id="heights-provenance"']  # fmt: skip
    places = [page.body.index(part) for part in parts]
    assert places == sorted(places)
    assert (page.path, page.title, page.section) == (
        "experiments/heights.html",
        "How high things are",
        "text",
    )
    assert page.description == "It is 1.51 m high."


@pytest.mark.slow
def test_a_claim_tells_its_band_number_source_and_reason(page) -> None:
    claim = page.body[page.body.index('id="heights-claim-depth-m"') :].split("</article>")[0]
    for part in ("It is only 0.1 m deep.", "depth, m", "at least 1", "0.1", "as dug", "the plan", "failed"):
        assert part in claim, part


@pytest.mark.slow
def test_what_is_not_settled_is_called_so_once(page) -> None:
    claim = page.body[page.body.index('id="heights-claim-height-at-full-size"') :].split("</article>")[0]
    assert plain(claim.split("</p>")[0]).endswith(
        "– not settled Whether it grows (only the full preset settles it). #"
    )


@pytest.mark.slow
def test_a_page_says_how_to_run_it_and_what_to_change(page) -> None:
    block = page.body[page.body.index('id="heights-run"') : page.body.index('id="heights-provenance"')]
    lines = re.findall(r"regard run [^\n<]*", block)
    assert lines == [
        "regard run heights",
        "regard run heights --set seeds=6",
        "regard run heights --set text=mine.txt",
        "regard run heights --preset full",
    ]
    assert "How often it is measured." in block and "<td>3</td><td>5</td>" in block


@pytest.mark.slow
def test_environment_seeds_key_and_time_are_at_hand(page, contents) -> None:
    run = contents.by_name["heights"]
    block = page.body[page.body.index('id="heights-provenance"') :]
    for part in (run.id, run.request["key"][:16], "0 to 2", "torch", run.request["started"][:10]):
        assert part in block, part


@pytest.mark.slow
def test_a_theorem_has_its_statement_and_its_derivation(contents) -> None:
    body = experiment_page(contents.by_name["theory-beam-search"], contents).body
    assert ">The theorem</h2>" in body and ">The derivation</h2>" in body and "<math" in body
    assert "Derivation." not in body


def answer(body: str) -> str:
    return plain(body.split('<div class="answer">')[1].split("</div>")[0])


@pytest.mark.slow
def test_a_theorem_opens_with_what_its_steps_prove_and_only_while_they_hold(contents, tmp_path) -> None:
    held = contents.by_name["theory-beam-search"]
    assert answer(experiment_page(held, contents).body) == plain(" ".join(opening(held)))
    theorem, source = registry.find("theory-beam-search")

    def broken(settings, context):
        yield from (Metric(claim.name, 1.0) for claim in theorem.claims)

    failed = run(
        replace(theorem, run=broken), theorem.presets["quick"], Store(tmp_path), source=source, preset="quick"
    )
    told = answer(experiment_page(failed, BookContents([failed], {})).body)
    assert told.count("does not stand") == len(theorem.opens_with)
    assert not any(one in told for one in opening(held))


@pytest.mark.slow
def test_a_record_whose_code_has_changed_says_so_with_every_file(contents) -> None:
    run = contents.by_name["heights"]
    record = Record("heights", "full", (), {}, 0, "2026-01-01", 1.0, {"cores": 2}, {}, {}, {}, {})
    known = replace(contents, records={"heights": record})
    body = plain(experiment_page(run, known).body)
    assert "the run of 2026-01-01 (full)" in body and "changed since" not in body
    files = [f"lab/{place}.py" for place in range(9)]
    body = plain(experiment_page(run, replace(known, stale={"heights": files})).body)
    assert "The code has changed since that record was made, in 9 files: today" in body
    assert ", ".join(files) in body


@pytest.mark.slow
def test_a_question_that_is_the_title_is_not_asked_twice(contents) -> None:
    run = contents.by_name["heights"]
    assert 'class="question"' in experiment_page(run, contents).body
    assert 'class="question"' not in experiment_page(run, BookContents([run], {})).body
