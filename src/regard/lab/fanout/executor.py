"""Executor: who carries orders out, and the news that come of it. Orders are text, answers bytes."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True)
class Answered:
    """An order was carried out."""

    ticket: int
    data: bytes
    "A parcel: see `regard.lab.fanout.parcel`."


@dataclass(frozen=True)
class LostWorker:
    """The worker that had an order is gone: killed, out of memory, or its machine went down."""

    ticket: int
    why: str


News = Answered | LostWorker


@runtime_checkable
class Executor(Protocol):
    """Workers that carry out one order each at a time; the dispatcher knows no more of them than this."""

    def room(self) -> int:
        """How many orders can be handed out now."""
        ...

    def submit(self, ticket: int, order: str) -> str:
        """Hand out an order; gives the worker that has it, as a person would name it."""
        ...

    def wait(self, seconds: float) -> list[News]:
        """What has come of orders; waits for the first news, but no longer than so many seconds."""
        ...

    def close(self) -> None:
        """End all workers, busy or not."""
        ...
