"""The words after --on."""

import pytest

from regard.errors import RegardError
from regard.lab.fanout import places
from regard.lab.fanout.places import opened, parse
from regard.lab.fanout.processes import ProcessExecutor


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("1", ("processes", 1)),
        ("16", ("processes", 16)),
        ("processes", ("processes", None)),
        ("processes:3", ("processes", 3)),
        ("ray", ("ray", None)),
        ("ray:100", ("ray", 100)),
    ],
)
def test_words_that_stand_for_a_place(word: str, found: tuple[str, int | None]) -> None:
    assert parse(word) == found


@pytest.mark.parametrize(
    "word", ["", "0", ":2", "ray:", "ray2", "ray:0", "-1", "2.5", "slurm", "99999", "rays"]
)
def test_other_words_are_told(word: str) -> None:
    with pytest.raises(RegardError) as caught:
        parse(word)
    assert str(caught.value) == (
        "runs go to processes of this machine or to a Ray cluster\n"
        f"  got: --on {word}\n"
        "  fix: --on 4, --on processes, --on ray, or --on ray:4 for at most four workers"
    )


@pytest.mark.parametrize(("word", "count", "threads"), [("processes", 8, 1), ("3", 3, 2), ("16", 16, 1)])
def test_the_cores_are_shared_among_the_processes(word, count, threads, monkeypatch) -> None:
    monkeypatch.setattr(places, "cores", lambda: 8)
    with opened(word) as executor:
        assert isinstance(executor, ProcessExecutor)
        assert (executor.count, executor.threads) == (count, threads)


def test_an_executor_is_closed_however_the_block_is_left(monkeypatch) -> None:
    closed = []
    monkeypatch.setattr(ProcessExecutor, "close", lambda self: closed.append(self))
    with pytest.raises(KeyboardInterrupt), opened("1"):
        raise KeyboardInterrupt
    assert len(closed) == 1
