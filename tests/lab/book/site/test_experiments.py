import re

import pytest

from regard.lab.book.site.experiments import experiment_page


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
