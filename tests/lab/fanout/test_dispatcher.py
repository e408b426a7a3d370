"""Every task is landed once, whatever the workers do."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.files import Damaged
from regard.lab.fanout.dispatcher import LOSSES, Dispatcher, Task
from regard.lab.fanout.executor import Answered, LostWorker, News


def tasks(count: int) -> list[Task]:
    return [Task(f"key {i}", f"task {i}", json.dumps({"seconds": 1}), seconds=i) for i in range(count)]


class Scripted:
    """An executor that does with each submission what its script says, and answers in the end."""

    def __init__(self, workers: int, script: list[str]) -> None:
        self.workers, self.script = workers, list(script)
        self.out: list[News] = []
        self.orders: list[int] = []

    def room(self) -> int:
        return self.workers - len(self.out)

    def submit(self, ticket: int, order: str) -> str:
        self.orders.append(ticket)
        fate = self.script.pop(0) if self.script else "answer"
        lost, answer = LostWorker(ticket, "killed"), Answered(ticket, b"whole")
        said: dict[str, list[News]] = {
            "answer": [answer],
            "lose": [lost],
            "twice": [answer, answer],
            "late": [lost, answer],
            "garbled": [Answered(ticket, b"half")],
        }
        self.out += said[fate]
        return "worker"

    def wait(self, seconds: float) -> list[News]:
        news, self.out = self.out, []
        return news

    def close(self) -> None:
        pass


def dispatched(count: int, executor: Scripted) -> tuple[Dispatcher, Counter[str]]:
    landed: Counter[str] = Counter()

    def land(task: Task, data: bytes) -> str:
        if data != b"whole":
            raise Damaged("half an answer")
        landed[task.key] += 1
        return ""

    dispatcher = Dispatcher(tasks(count), executor, land)
    dispatcher.run()
    return dispatcher, landed


@given(
    count=st.integers(0, 8),
    workers=st.integers(1, 4),
    script=st.lists(st.sampled_from(["answer", "lose", "twice", "late", "garbled"]), max_size=20),
)
def test_each_task_is_landed_once_or_given_up_after_five_losses(
    count: int, workers: int, script: list[str]
) -> None:
    dispatcher, landed = dispatched(count, Scripted(workers, script))
    assert set(landed.values()) <= {1}
    assert set(landed) | set(dispatcher.tally.problems) == {f"key {i}" for i in range(count)}
    assert not set(landed) & set(dispatcher.tally.problems)
    assert dispatcher.tally.landed == len(landed) and dispatcher.left == 0


def test_the_longest_task_is_handed_out_first() -> None:
    seen: list[str] = []
    executor = Scripted(1, [])
    Dispatcher(tasks(3), executor, lambda task, data: seen.append(task.name) or "").run()
    assert seen == ["task 2", "task 1", "task 0"]


def test_the_run_of_a_lost_worker_is_redone() -> None:
    dispatcher, landed = dispatched(2, Scripted(2, ["lose"]))
    assert dict(landed) == {"key 0": 1, "key 1": 1}
    assert dispatcher.tally.lost == 1 and not dispatcher.tally.problems


def test_an_answer_that_comes_twice_is_kept_once_and_counted() -> None:
    dispatcher, landed = dispatched(1, Scripted(1, ["twice"]))
    assert dict(landed) == {"key 0": 1} and dispatcher.tally.again == 1


def test_an_answer_after_its_worker_was_given_up_counts_and_the_task_is_not_done_again() -> None:
    executor = Scripted(1, ["late"])
    dispatcher, landed = dispatched(1, executor)
    assert dict(landed) == {"key 0": 1} and executor.orders == [0] and dispatcher.tally.lost == 1


def test_a_task_that_kills_every_worker_is_given_up_and_says_so() -> None:
    executor = Scripted(1, ["lose"] * 99)
    dispatcher, landed = dispatched(1, executor)
    assert not landed and len(executor.orders) == LOSSES
    assert dispatcher.tally.problems == {"key 0": "given up after 5 workers: killed"}


def test_what_a_worker_says_is_wrong_is_a_problem_and_is_not_tried_again() -> None:
    executor = Scripted(1, [])
    dispatcher = Dispatcher(tasks(2), executor, lambda task, data: "it broke" if "1" in task.name else "")
    tally = dispatcher.run()
    assert tally.problems == {"key 1": "it broke"} and tally.landed == 1 and executor.orders == [0, 1]


def test_what_runs_where_is_there_to_be_seen() -> None:
    seen: list[dict[int, tuple[str, str]]] = []
    executor = Scripted(2, [])

    def watch(dispatcher: Dispatcher) -> None:
        seen.append({ticket: (task.name, worker) for ticket, (task, worker) in dispatcher.running.items()})

    Dispatcher(tasks(2), executor, lambda task, data: "").run(watch)
    assert seen == [{0: ("task 1", "worker"), 1: ("task 0", "worker")}, {}]


def test_two_tasks_of_one_key_are_refused() -> None:
    with pytest.raises(ValueError, match="two tasks have one key"):
        Dispatcher([*tasks(1), *tasks(1)], Scripted(1, []), lambda task, data: "")
