"""A real check, kept by the command, as the documents show it."""

from pathlib import Path

import pytest

from regard.cli.main import main
from regard.lab.store.checks import FOLDER, kept
from regard.lab.store.runs import Store
from regard.web.checks import document, listed, names
from regard.web.refusal import Refusal

WRONG = """
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1) @ v
"""


@pytest.mark.slow
def test_a_check_is_kept_and_told_in_full(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REGARD_RUNS", str(tmp_path / "runs"))
    (tmp_path / "mine.py").write_text(WRONG)
    assert main(["check", "mine.py"]) == 1
    said = capsys.readouterr().out
    store = Store(tmp_path / "runs")
    (line,) = listed(store)
    assert (line["target"], line["contract"], line["state"]) == ("mine.py", "scaled-dot-product", "mistake")
    found = document(store, line["id"])
    assert found["kind"] == "check" and found["verdict"] == "mistake"
    assert "/ math.sqrt(" in found["step"], "the line of the right program at which the two part"
    assert found["slug"] in said and found["fix"] in said and found["evidence"]
    assert (
        found["page"]["known"]
        and found["page"]["why"]
        and any(one["marked"] for one in found["page"]["right_lines"])
    )
    assert found["line"] == 3 and "k.transpose" in found["code"]
    assert names(store) == (line["id"],)


def test_no_checks_are_an_empty_list_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    assert listed(store) == [] and names(store) == ()
    with pytest.raises(Refusal) as error:
        document(store, "check-1")
    assert error.value.status == 404


def test_a_damaged_check_is_listed_as_such(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    (store.root / FOLDER).mkdir(parents=True)
    (store.root / FOLDER / "check-1.json").write_text("{}")
    assert listed(store)[0]["state"] == "damaged" and len(kept(store)) == 1


def test_where_nothing_can_be_written_a_check_works_all_the_same(tmp_path: Path, monkeypatch) -> None:
    from regard.checker.report.report import Report
    from regard.cli.check import _keep

    (tmp_path / "runs").write_text("a file")
    monkeypatch.setenv("REGARD_RUNS", str(tmp_path / "runs"))
    _keep(Report(target="mine.py", verdicts=()))
    assert (tmp_path / "runs").read_text() == "a file"
