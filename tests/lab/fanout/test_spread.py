"""Tasks into a store: what landed stays when the rest is stopped, and the next call makes what is missing."""

import os
import signal
from contextlib import contextmanager

import pytest

from regard.errors import Stopped
from regard.lab import registry
from regard.lab.fanout import spread as module
from regard.lab.fanout.dispatcher import Dispatcher, Tally
from regard.lab.fanout.executor import Answered, News
from regard.lab.fanout.order import carry_out
from regard.lab.fanout.parcel import Parcel, land
from regard.lab.fanout.seeds import SeedPlan
from regard.lab.fanout.spread import Newcomers, runs_of, spread
from regard.lab.store.lock import Lock


class Here:
    """An executor that carries orders out in this process, one at a time."""

    def __init__(self) -> None:
        self.out: list[News] = []
        self.closed = False

    def room(self) -> int:
        return 1 - len(self.out)

    def submit(self, ticket: int, order: str) -> str:
        self.out.append(Answered(ticket, carry_out(order)))
        return "here"

    def wait(self, seconds: float) -> list[News]:
        news, self.out = self.out, []
        return news

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def here(monkeypatch) -> Here:
    executor = Here()

    @contextmanager
    def opened(word: str):
        try:
            yield executor
        finally:
            executor.close()

    monkeypatch.setattr(module, "opened", opened)
    return executor


@pytest.fixture
def plan(coin) -> SeedPlan:
    experiment, source = registry.find(str(coin))
    return SeedPlan(
        experiment=experiment, source=source, settings=experiment.presets["quick"],
        preset="quick", changes=[], seeds=range(3),
    )  # fmt: skip


def nothing(dispatcher: Dispatcher) -> None:
    pass


def test_without_tasks_nothing_is_opened(store) -> None:
    assert spread([], store, "no such place", nothing) == Tally()


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_what_landed_stays_when_it_is_stopped_and_the_next_call_goes_on(how, plan, store, here) -> None:
    def stop(dispatcher: Dispatcher) -> None:
        if dispatcher.tally.landed == 1:
            os.kill(os.getpid(), how)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Stopped, match="1 of 3 runs had ended, and are kept"):
        spread(plan.missing(store), store, "1", stop)
    assert here.closed and signal.getsignal(signal.SIGTERM) == before
    first = [run.id for run in store.runs()]
    assert len(first) == 1
    here.out.clear()
    missing = plan.missing(store)
    assert len(missing) == 2
    assert spread(missing, store, "1", nothing).landed == 2
    runs = runs_of(store, plan.keys.values())
    assert len(runs) == 3 and set(first) <= {run.id for run in runs.values()} and not plan.missing(store)


@pytest.mark.slow
def test_of_several_runs_of_a_key_the_newest_finished_one_counts(plan, store, here) -> None:
    task = plan.missing(store)[0]
    ids = []
    for _ in range(2):
        spread([task], store, "1", nothing)
        ids.append(({run.id for run in store.runs()} - set(ids)).pop())
    assert runs_of(store, [task.key])[task.key].id == ids[1]
    (store.root / ids[1] / "result.json").unlink()
    assert runs_of(store, [task.key, "another"])[task.key].id == ids[0]


@pytest.mark.slow
def test_a_run_that_another_head_finished_meanwhile_is_not_landed_again(plan, store, here) -> None:
    """Two heads fill one store: the other one lands the first key after we began, and a run of ours is lost."""
    tasks = plan.missing(store)
    submit = here.submit

    def late(ticket: int, order: str) -> str:
        if not store.runs():
            answer = Parcel.unpack(carry_out(tasks[0].order))
            land(store, answer, tasks[0].key)
        return submit(ticket, order)

    here.submit = late
    tally = spread(tasks, store, "1", nothing)
    assert tally.landed == 3 and not tally.problems
    assert sorted(run.request["key"] for run in store.runs()) == sorted(plan.keys.values())


@pytest.mark.slow
def test_a_run_of_another_that_did_not_finish_keeps_nothing_from_landing(plan, store, here) -> None:
    task = plan.missing(store)[0]
    newcomers = Newcomers(store)
    assert newcomers.finished() == set()
    run = land(store, Parcel.unpack(carry_out(task.order)), task.key)
    result = run.path / "result.json"
    whole = result.read_text()
    result.unlink()
    lock = Lock(run.path / "lock")
    assert newcomers.finished() == set(), "it runs"
    result.write_text(whole)
    lock.release()
    assert newcomers.finished() == {task.key}
    assert Newcomers(store).finished() == set(), "what was there before is asked for elsewhere"
