"""A run while it runs: its log, its figures, its result, and the lock that says that it is running."""

from hashlib import sha256
from pathlib import Path

from regard.claims import ClaimVerdict
from regard.files import explained, settle, write
from regard.lab.events import Kept, pack
from regard.lab.store.lock import Lock
from regard.lab.store.log import Log
from regard.lab.store.run import CAME, LOCK, LOG, RESULT, State


class Writer:
    """Everything it is given is on disk before the call returns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.figures = path / "figures"
        self._lock = Lock(path / LOCK)
        with explained(path):
            if (path / RESULT).exists():  # of a run that is taken up: what came of it is to be seen again
                (path / RESULT).unlink()
                settle(path)
        self._log = Log(path / LOG)

    def record(self, event: Kept) -> None:
        """Add an event to the log, in one write."""
        self._log.add(pack(event))

    def draw(self, name: str, picture: bytes, caption: str) -> None:
        """Keep a figure; the log speaks of it only once the file is there."""
        with explained(self.figures):
            self.figures.mkdir(exist_ok=True)
        write(self.figures / f"{name}.svg", picture)
        digest = sha256(picture).hexdigest()
        self._log.add({"kind": "figure", "name": name, "caption": caption, "sha256": digest})

    def finish(self, state: State, verdicts: list[ClaimVerdict], *, seconds: float, error: str = "") -> None:
        """Say what came of the run."""
        settled = [
            {"claim": one.claim.plain(), "state": one.state, "value": one.value, "reason": one.reason}
            for one in verdicts
        ]
        result = {"state": state, "seconds": seconds, "error": error, "verdicts": settled}
        write(self.path / RESULT, CAME.page(result | {"log": self._log.vouch()}))

    def close(self) -> None:
        """Let go of the run's files."""
        self._log.close()
        self._lock.release()
