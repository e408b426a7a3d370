"""The verb reproduce on the command line."""

import json

import pytest

from regard.cli import records as cli_records
from regard.cli.main import main
from regard.lab.records import reproduce
from regard.lab.records.record import record, records


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("REGARD_RUNS", str(tmp_path / "runs"))


def test_records_are_listed_with_their_size_and_whether_their_code_has_changed(capsys):
    main(["reproduce"])
    out = capsys.readouterr().out
    assert "theory-positions" in out and ("unchanged" in out or "changed since" in out)
    main(["reproduce", "--json"])
    found = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert found["theory-positions"]["preset"] == "full" and found["theory-positions"]["numbers"]


@pytest.mark.slow
def test_a_recorded_run_is_made_again_and_agrees(capsys, tmp_path, monkeypatch):
    """A record of its own: that of the package may be older than its code, and says so."""
    assert main(["run", "theory-positions", "--preset", "full"]) == 0
    (tmp_path / "results").mkdir()
    record(cli_records.store().find("theory-positions"), tmp_path / "results")
    monkeypatch.setattr(reproduce, "records", lambda: records(tmp_path / "results"))
    capsys.readouterr()
    assert main(["reproduce", "theory-positions"]) == 0
    assert "agree with the record of" in capsys.readouterr().out
    assert main(["reproduce", "theory-positions", "--json", "--seed", "5"]) == 0
    assert json.loads(capsys.readouterr().out)["agrees"] is True


def test_words_without_effect_are_refused(capsys):
    assert main(["reproduce", "--seed", "3"]) == 2
    assert "--seed has no effect on a list" in capsys.readouterr().err
    assert main(["reproduce", "--set", "device=cpu"]) == 2
    assert "--set has no effect on a list" in capsys.readouterr().err
    assert main(["reproduce", "theory-positions", "--set", "seeds=2"]) == 2
    assert "a record is made again as it was, on any device" in capsys.readouterr().err
    assert main(["reproduce", "--set", "device=cpu", "--keep", "x"]) == 2
    assert main(["reproduce", "theory-positions", "--keep", "x"]) == 2
    assert "--keep records a run that is there" in capsys.readouterr().err
