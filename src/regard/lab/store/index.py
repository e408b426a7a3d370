"""An index over the run folders, so that a thousand runs are listed at once; rebuilt whenever it is lost."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass

from regard.errors import RegardError
from regard.lab.store.runs import REQUEST, RESULT, Run, Store

FILE = "index.sqlite"
TABLE = """create table if not exists runs (
    id text primary key, stamp integer, name text, preset text, key text,
    state text, started text, seconds real, held integer, failed integer, unsettled integer)"""
COLUMNS = "id, name, preset, key, state, started, seconds, held, failed, unsettled"


@dataclass(frozen=True)
class RunEntry:
    """A run in a line."""

    id: str
    name: str
    preset: str
    key: str
    state: str
    started: str
    seconds: float | None
    held: int
    failed: int
    unsettled: int


class RunIndex:
    """Entries of a store, brought up to date with the folders each time they are asked for."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def entries(self) -> list[RunEntry]:
        """Every run, the oldest first."""
        with self._fresh() as database:
            rows = database.execute(f"select {COLUMNS} from runs order by started, id")
            return [RunEntry(*row) for row in rows]

    def finished(self, key: str) -> RunEntry | None:
        """The newest finished run with that key."""
        same = [one for one in self.entries() if one.key == key and one.state == "finished"]
        return same[-1] if same else None

    @contextmanager
    def _fresh(self) -> Iterator[sqlite3.Connection]:
        try:
            database = self._open(str(self.store.root / FILE))
        except sqlite3.Error:
            with suppress(OSError):
                (self.store.root / FILE).unlink()  # damaged: the folders have all that it had
            try:
                database = self._open(str(self.store.root / FILE))
            except sqlite3.Error:  # read-only, or a file system without locks
                database = self._open(":memory:")
        with closing(database):
            yield database

    def _open(self, place: str) -> sqlite3.Connection:
        database = sqlite3.connect(place, timeout=10.0)
        try:
            with suppress(
                sqlite3.OperationalError
            ):  # network homes have no shared memory: the old journal serves there
                database.execute("pragma journal_mode=wal")
            with database:
                database.execute(TABLE)
                self._update(database)
        except sqlite3.Error:
            database.close()
            raise
        return database

    def _update(self, database: sqlite3.Connection) -> None:
        known = dict(database.execute("select id, stamp from runs"))
        here = {run.id: run for run in self.store.runs()}
        database.executemany("delete from runs where id = ?", [(id,) for id in known.keys() - here.keys()])
        for id, run in here.items():
            stamp = _stamp(run)
            if stamp is None or known.get(id) != stamp:
                with suppress(RegardError):  # a damaged folder: not listed, never in the way
                    database.execute("replace into runs values (?,?,?,?,?,?,?,?,?,?,?)", _row(run, stamp))


def _stamp(run: Run) -> int | None:
    """When the run last changed; None while it has no result."""
    with suppress(FileNotFoundError):
        return (run.path / RESULT).stat().st_mtime_ns + (run.path / REQUEST).stat().st_mtime_ns
    return None


def _row(run: Run, stamp: int | None) -> tuple:
    states = [one.state for one in run.verdicts]
    request = run.request
    counts = (states.count("held"), states.count("failed"), states.count("not settled"))
    return (
        run.id,
        stamp,
        request["name"],
        _preset(run),
        request["key"],
        run.state,
        request["started"],
        run.result["seconds"],
        *counts,
    )


def _preset(run: Run) -> str:
    return run.request["preset"] + (" changed" if run.request["changes"] else "")
