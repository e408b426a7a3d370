"""What answers requests: the lab on the disk, the worker, the jobs, the streams, the front end's files."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from regard.lab.store.runs import Store
from regard.web import checks
from regard.web.bundle import Bundled
from regard.web.jobs import Jobs
from regard.web.lab import Lab
from regard.web.refusal import Refusal
from regard.web.static import StaticFile
from regard.web.streams import Streams
from regard.web.worker.process import STARTING, ModelWorker


class Services:
    """One server's."""

    def __init__(self, store: Store, bundled: Bundled, files: Mapping[str, StaticFile]) -> None:
        self.bundled, self.files = bundled, files
        self.lab = Lab(store, bundled)
        self.jobs = Jobs(store, self.lab.own)
        self.worker = ModelWorker([str(store.root.resolve()), str(bundled.folder.resolve())])
        self.streams = Streams()
        self._catalogue: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Have the worker load torch and the experiments in the background."""
        self._catalogue = asyncio.create_task(self._learn())

    async def _learn(self) -> None:
        told = await self.worker.ask("catalogue", {}, STARTING)
        self.lab.experiments = {one["name"]: one for one in told["experiments"]}

    async def experiments(self) -> dict[str, dict[str, Any]]:
        """The document of each experiment; whoever asks early waits until they are known."""
        if self._catalogue is None or (self._catalogue.done() and not self.lab.experiments):
            self.begin()
        assert self._catalogue is not None
        await asyncio.shield(self._catalogue)
        return self.lab.experiments

    def pulse(self) -> Any:
        """What a page of the lab shows; another value means that it is to be read again."""
        runs = self.lab.states()
        jobs = tuple((one["id"], one["state"], one["run"]) for one in self.jobs.documents())
        return runs, jobs, bool(self.lab.experiments), checks.names(self.lab.store)

    async def close(self) -> None:
        """Stop everything: streams end, and whoever waits for the worker is refused."""
        self.streams.closing.set()
        await asyncio.gather(self.jobs.close(), self.worker.stop())
        if self._catalogue is not None:
            self._catalogue.cancel()
            with suppress(asyncio.CancelledError, Refusal):
                await self._catalogue
