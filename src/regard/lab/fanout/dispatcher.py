"""Dispatcher of a fan-out: hands tasks to an executor, redoes those of lost workers, lands each once.

It has no clock and starts nothing itself: the same class is driven by processes, by Ray, and by a simulation.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from regard.files import Damaged
from regard.lab.fanout.executor import Answered, Executor, LostWorker, News

LOSSES = 5
"Workers that a task may lose before it is given up: what kills five is at fault itself."
PAUSE = 1.0
"Seconds after which the watcher is told again although nothing came."


@dataclass(frozen=True)
class Task:
    """A run to be made: one key, one order, whoever carries it out and however often."""

    key: str
    "The key of the run that it makes."
    name: str
    "What a person calls it."
    order: str
    "What a worker is sent: JSON."
    seconds: float = 1.0
    "How long it may take: the longest are handed out first."


@dataclass
class Tally:
    """What came of a fan-out."""

    landed: int = 0
    "Tasks whose run is in the store."
    lost: int = 0
    "Workers that were lost with a task."
    again: int = 0
    "Answers that came for a task that was done: they are not kept."
    problems: dict[str, str] = field(default_factory=dict)
    "By key: what kept a task from being done."


Land = Callable[[Task, bytes], str]
"Puts an answer into the store; gives what the worker says is wrong, if anything."


class Dispatcher:
    """Every task is landed once or has a problem, whatever happens to the workers."""

    def __init__(self, tasks: Sequence[Task], executor: Executor, land: Land) -> None:
        self.executor, self.land = executor, land
        self.tally = Tally()
        self.running: dict[int, tuple[Task, str]] = {}
        "Task and worker of each ticket that is out."
        # A list in order of length bounds the time that all wait for the last one.
        self._waiting = deque(sorted(tasks, key=lambda task: -task.seconds))
        self._tickets: list[Task] = []
        self._losses = dict.fromkeys((task.key for task in tasks), 0)
        self._open = set(self._losses)
        if len(self._open) < len(tasks):
            raise ValueError("two tasks have one key")

    @property
    def left(self) -> int:
        """How many tasks are not done."""
        return len(self._open)

    def run(self, watch: Callable[["Dispatcher"], None] = lambda dispatcher: None) -> Tally:
        """Go on until every task is done or given up."""
        while self._open:
            while self._waiting and self.executor.room() > 0:
                self._hand_out(self._waiting.popleft())
            watch(self)
            for one in self.executor.wait(PAUSE):
                self._take(one)
        watch(self)
        return self.tally

    def _hand_out(self, task: Task) -> None:
        if task.key not in self._open:  # an answer came after its worker had been given up
            return
        ticket = len(self._tickets)
        self._tickets.append(task)
        self.running[ticket] = (task, self.executor.submit(ticket, task.order))

    def _take(self, news: News) -> None:
        task = self._tickets[news.ticket]
        self.running.pop(news.ticket, None)
        if isinstance(news, LostWorker):
            self.tally.lost += 1
            self._redo(task, news.why)
        elif task.key not in self._open:
            self.tally.again += 1
        else:
            self._keep(task, news)

    def _keep(self, task: Task, answer: Answered) -> None:
        try:
            problem = self.land(task, answer.data)
        except Damaged as error:
            return self._redo(task, str(error))
        self._open.discard(task.key)
        if problem:
            self.tally.problems[task.key] = problem
        else:
            self.tally.landed += 1
        return None

    def _redo(self, task: Task, why: str) -> None:
        if task.key not in self._open:
            return
        self._losses[task.key] += 1
        if self._losses[task.key] < LOSSES:
            self._waiting.appendleft(task)
        else:
            self._open.discard(task.key)
            self.tally.problems[task.key] = f"given up after {LOSSES} workers: {why}"
