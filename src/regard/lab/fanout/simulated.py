"""Simulated executor: a discrete-event simulation of many workers, which drives the real dispatcher."""

import heapq
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from regard.lab.fanout.dispatcher import Task
from regard.lab.fanout.executor import Answered, LostWorker, News


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """What a simulated cluster is like; all times in seconds."""

    workers: int
    begin: float = 5.0
    "From the start of a worker to its first order: a process that loads torch."
    travel: float = 0.01
    "From a worker to the head and back."
    land: float = 0.01
    "The head's time to land one run."
    hand_out: float = 0.001
    "The head's time to hand out one order."
    failure: float = 0.0
    "Mean time between the failures of one worker; 0 where none fails. What it runs is lost."
    notice: float = 10.0
    "From the failure of a worker to the news of it."
    false_alarm: float = 0.0
    "Share of losses that are none: the worker had only been out of reach, and its answer comes as well."
    seed: int = 0


@dataclass(order=True)
class _Event:
    time: float
    number: int
    news: News | None = field(compare=False)
    "None where a worker is ready for its next order."


class SimulatedExecutor:
    """Workers that take the time that orders say (JSON: {"seconds": …}); its clock moves when it waits.

    The head is one thread: what it lands or hands out moves the clock, and news wait meanwhile.
    """

    def __init__(self, cluster: Assumptions) -> None:
        self.cluster = cluster
        self.clock = 0.0
        self.landing = 0.0
        "Seconds of the head that went into landing runs."
        self.worked = 0.0
        "Seconds of all workers that went into runs that were landed or thrown away."
        self._random = random.Random(cluster.seed)
        self._events: list[_Event] = []
        self._number = 0
        self._free = 0
        for _ in range(cluster.workers):
            self._after(cluster.begin, None)

    def room(self) -> int:
        return self._free

    def submit(self, ticket: int, order: str) -> str:
        """Decide now what will come of the order: an answer, a loss, or first the one and then the other."""
        self._free -= 1
        self.clock += self.cluster.hand_out
        seconds = float(json.loads(order)["seconds"])
        fails = self._random.expovariate(1 / self.cluster.failure) if self.cluster.failure else float("inf")
        answer = Answered(ticket, order.encode())
        if fails >= seconds:
            self.worked += seconds
            self._after(seconds + self.cluster.travel, answer)
            self._after(seconds + self.cluster.travel, None)
            return "simulated"
        self.worked += fails
        self._after(fails + self.cluster.notice, LostWorker(ticket, "simulated"))
        self._after(fails + self.cluster.notice + self.cluster.begin, None)
        if self._random.random() < self.cluster.false_alarm:
            self._after(seconds + 2 * self.cluster.notice, answer)
        return "simulated"

    def wait(self, seconds: float) -> list[News]:
        """The news up to the next moment at which something happens; `seconds` are the real world's."""
        if self._events:
            self.clock = max(self.clock, self._events[0].time)
        found: list[News] = []
        while self._events and self._events[0].time <= self.clock:
            event = heapq.heappop(self._events)
            if event.news is None:
                self._free += 1
            else:
                found.append(event.news)
        return found

    def close(self) -> None:
        self._events.clear()

    def landed(
        self, keep: Callable[[Task, bytes], str] = lambda task, data: ""
    ) -> Callable[[Task, bytes], str]:
        """A landing that takes the head's time."""

        def land(task: Task, data: bytes) -> str:
            self.clock += self.cluster.land
            self.landing += self.cluster.land
            return keep(task, data)

        return land

    def _after(self, seconds: float, news: News | None) -> None:
        self._number += 1
        heapq.heappush(self._events, _Event(self.clock + seconds, self._number, news))
