from pathlib import Path

import pytest

from regard.cli.main import main
from regard.errors import RegardError
from regard.lab.store.runs import Store
from regard.lab.template import ENOUGH, start_experiment


def test_the_file_is_twenty_lines_that_fail_their_claim_once_and_pass_it_once(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGARD_RUNS", raising=False)
    assert main(["start", "experiment", "my-coin"]) == 0
    out = capsys.readouterr().out
    assert "regard run my_coin.py\n" in out and f"regard run my_coin.py --set {ENOUGH}\n" in out
    assert len(Path("my_coin.py").read_text().splitlines()) <= 20
    states = []
    for more in ([], ["--set", ENOUGH]):
        assert main(["run", "my_coin.py", *more]) == 0
        states.append([one.state for one in Store(Path("runs")).runs()[-1].verdicts])
    assert states == [["failed"], ["held"]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["experiment"], "an experiment needs a name\n  got: none\n  fix: regard start experiment NAME\n"),
        (["experiment", "a/b"], "an experiment is called by letters, digits and dashes\n  got: 'a/b'\n  fix: such as my-experiment\n"),
        (["rotary", "mine"], "a contract's file has its own name\n  got: 'mine'\n  fix: leave it out, or: regard start experiment NAME\n"),
        (["experiment", "there"], "a file of that name is there already\n  got: there.py\n  fix: move it away, or choose another name\n"),
        (["experiment", "coin", "--folder", "no"], "there is no such folder\n  got: no\n  fix: make it first\n"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_three_lines(
    tmp_path: Path, monkeypatch, capsys, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there.py").write_text("mine")
    assert main(["start", *words]) == 2 and capsys.readouterr().err == message


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = start_experiment("coin", tmp_path)
    with pytest.raises(RegardError):
        start_experiment("coin", tmp_path)
    assert path.read_text().startswith('"""How often')
