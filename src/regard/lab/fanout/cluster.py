"""Executor over a Ray cluster: that of RAY_ADDRESS, or a Ray of this machine while it is needed."""

import json
import logging
import os
import socket
import time
from types import ModuleType
from typing import Any

from regard.errors import RegardError
from regard.lab.fanout.executor import Answered, LostWorker, News
from regard.lab.fanout.order import carry_out

ADDRESS = "RAY_ADDRESS"
GROWTH = 5.0
"Seconds between two looks at how large the cluster is now."
FAILURES = 5
"Workers that may fail to begin, one after the other, before that is told."


class RayExecutor:
    """An actor of Ray for each CPU of the cluster, or as many as are asked for; lost ones are replaced."""

    def __init__(self, most: int | None = None) -> None:
        self._ray = _begun(most)
        self._most = most
        self._actor = self._ray.remote(num_cpus=1, max_restarts=0)(RayWorker)
        self._place = json.dumps({"folder": os.getcwd(), "environment": _handed_on()})
        self._coming: dict[Any, Any] = {}
        "By the reference to a worker's name: workers that have not begun."
        self._idle: list[tuple[Any, str]] = []
        self._busy: dict[Any, tuple[int, Any, str]] = {}
        "By the reference to an answer: its ticket, and who has it."
        self._failed = 0
        self._looked = 0.0
        self._grow()

    def room(self) -> int:
        return len(self._idle)

    def submit(self, ticket: int, order: str) -> str:
        actor, name = self._idle.pop()
        self._busy[actor.carry_out.remote(order)] = (ticket, actor, name)
        return name

    def wait(self, seconds: float) -> list[News]:
        self._grow()
        waited = [*self._coming, *self._busy]
        ready, _ = self._ray.wait(waited, num_returns=1, timeout=seconds) if waited else ([], [])
        if ready:
            ready, _ = self._ray.wait(waited, num_returns=len(waited), timeout=0)
        found = [self._welcome(one) if one in self._coming else self._news(one) for one in ready]
        return [one for one in found if one is not None]

    def close(self) -> None:
        for actor in [*self._coming.values(), *(one for one, _ in self._idle)]:
            self._ray.kill(actor)
        for _, actor, _ in self._busy.values():
            self._ray.kill(actor)
        self._ray.shutdown()

    def _grow(self) -> None:
        """Begin a worker for each CPU that has none: at the start, and where machines have joined."""
        if time.monotonic() - self._looked < GROWTH and self._looked:
            return
        self._looked = time.monotonic()
        cpus = int(self._ray.cluster_resources().get("CPU", 0))
        wanted = cpus if self._most is None else min(cpus, self._most)
        for _ in range(wanted - len(self._coming) - len(self._idle) - len(self._busy)):
            self._begin()

    def _begin(self) -> None:
        actor = self._actor.remote(self._place)
        self._coming[actor.name.remote()] = actor

    def _welcome(self, reference: Any) -> None:
        actor = self._coming.pop(reference)
        try:
            self._idle.append((actor, self._ray.get(reference)))
            self._failed = 0
        except self._ray.exceptions.RayError as error:
            self._failed += 1
            if self._failed == FAILURES:
                raise RegardError(
                    "the workers of the Ray cluster cannot begin",
                    str(error).strip().splitlines()[-1],
                    "install regard, in the same version, where the cluster's Python finds it",
                ) from error
            self._begin()

    def _news(self, reference: Any) -> News:
        ticket, actor, name = self._busy.pop(reference)
        try:
            data = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            self._begin()
            return LostWorker(ticket, f"{name}: {type(error).__name__}")
        self._idle.append((actor, name))
        return Answered(ticket, data)


class RayWorker:
    """What runs in the cluster: takes text, gives bytes."""

    def __init__(self, place: str) -> None:
        import torch

        asked = json.loads(place)
        os.environ.update(asked["environment"])
        if os.path.isdir(asked["folder"]):
            os.chdir(asked["folder"])
        torch.set_num_threads(1)

    def name(self) -> str:
        """Where it is."""
        return f"{socket.gethostname()} process {os.getpid()}"

    def carry_out(self, order: str) -> bytes:
        """Make a run."""
        return carry_out(order)


def _handed_on() -> dict[str, str]:
    """The variables that say where data lies: a cluster's processes were begun without them."""
    return {name: value for name, value in os.environ.items() if name.startswith("REGARD_")}


def _begun(most: int | None) -> ModuleType:
    """Ray, connected to the cluster that runs, or begun on this machine and heard on this machine alone."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray tells of lost workers on standard output, where JSON goes: we tell of them ourselves.
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
    address = os.environ.get(ADDRESS)
    if not address:
        # Ray reads it when it is imported; without a cluster its servers then listen on 127.0.0.1 alone.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise RegardError("--on ray needs Ray", str(error), "pip install 'regard[ray]'") from error
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address:
            _require_open(address)
            ray.init(address=address, **quiet)
        else:
            ray.init(address="local", num_cpus=most, include_dashboard=False, **quiet)
    except (OSError, RuntimeError, ValueError) as error:
        raise RegardError(
            "there is no Ray cluster to be reached",
            f"{ADDRESS}={address}: {str(error).strip().splitlines()[0]}",
            "begin one with 'ray start --head', set RAY_AUTH_MODE=token here too where it uses tokens, "
            "or unset RAY_ADDRESS for a Ray of this machine",
        ) from error
    return ray


def _require_open(address: str) -> None:
    """Refuse HOST:PORT where nobody listens, at once: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if "/" not in host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=10).close()
