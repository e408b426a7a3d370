"""Fan-out of tasks into a store: what has landed stays, and what is missing is what the next call makes."""

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from regard.errors import Stopped
from regard.lab.fanout.dispatcher import Dispatcher, Tally, Task
from regard.lab.fanout.parcel import Parcel, land
from regard.lab.fanout.places import opened
from regard.lab.store.run import STAMP, Run
from regard.lab.store.runs import Store


def spread(tasks: Sequence[Task], store: Store, on: str, watch: Callable[[Dispatcher], None]) -> Tally:
    """Carry all tasks out where `on` says, and land their runs in the store."""
    if not tasks:
        return Tally()

    others = Newcomers(store)

    def keep(task: Task, data: bytes) -> str:
        parcel = Parcel.unpack(data)
        if task.key in others.finished():
            return ""
        landed = land(store, parcel, task.key)
        others.known |= {landed.path.name} if landed else set()
        return parcel.problem

    with opened(on) as executor, _ended_by_term():
        dispatcher = Dispatcher(tasks, executor, keep)
        try:
            return dispatcher.run(watch)
        except KeyboardInterrupt as stop:
            raise Stopped(f"{dispatcher.tally.landed} of {len(tasks)} runs had ended, and are kept") from stop


class Newcomers:
    """The runs that others finish in a store since it was first looked at; each is read once."""

    def __init__(self, store: Store) -> None:
        self.store, self.found = store, set[str]()
        self.known = {path.name for path in self._folders()}

    def finished(self) -> set[str]:
        """The keys of those that have finished by now."""
        for run in [Run(path) for path in self._folders() if path.name not in self.known]:
            if run.state != "running":
                self.known.add(run.path.name)
            if run.state == "finished":
                self.found.add(run.request["key"])
        return self.found

    def _folders(self) -> list[Path]:
        return [one for one in self.store.root.glob("[!.]*") if STAMP.fullmatch(one.name)]


def runs_of(store: Store, keys: Iterable[str]) -> dict[str, Run]:
    """For each key its newest finished run, or else its newest run; keys without a run are left out."""
    wanted, found = set(keys), dict[str, Run]()
    for run in store.runs():
        key = "" if run.problem else run.request["key"]
        if key in wanted and (run.state == "finished" or key not in found or found[key].state != "finished"):
            found[key] = run
    return found


@contextmanager
def _ended_by_term() -> Iterator[None]:
    """SIGTERM, by which a cluster's scheduler ends a job, ends the workers too, as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
