"""Threads that wait for others: asleep where the machine is shared."""

import os

import pytest

from regard.cli.main import main


@pytest.mark.parametrize(("company", "policy"), [(False, None), (True, "passive")])
def test_waiting_threads_sleep_where_others_work(company: bool, policy: str | None, monkeypatch) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setattr("regard.cli.main.busy", lambda: company)
    assert main(["run", "no-such-experiment"]) == 2
    assert os.environ.get("OMP_WAIT_POLICY") == policy
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    assert main(["run", "no-such-experiment"]) == 2
    assert os.environ["OMP_WAIT_POLICY"] == "active"


def test_what_needs_no_threads_does_not_look_for_company(monkeypatch) -> None:
    monkeypatch.setattr("regard.cli.main.busy", lambda: pytest.fail("it looked"))
    assert main(["list"]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [(["list"], "stopped\n"), (["run", "one-operator"], "stopped; what was measured is kept\n")],
)
def test_ctrl_c_speaks_of_measurements_only_where_there_are_any(
    words, said: str, capsys, monkeypatch
) -> None:
    def stop(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("regard.lab.registry.everything", stop)
    monkeypatch.setattr("regard.lab.registry.find", stop)
    assert main(words) == 130 and capsys.readouterr().err == said
