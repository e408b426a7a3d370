"""What a server has: experiments learned in the background, and all of it stopped in the end."""

import asyncio
from pathlib import Path

import pytest

from regard.lab import registry
from regard.lab.store.runs import Store
from regard.web.bundle import Bundled
from regard.web.refusal import Refusal
from regard.web.services import Services
from regard.web.worker import process
from serving import made


@pytest.mark.slow
def test_the_first_page_does_not_wait_for_torch_and_the_form_does(tmp_path: Path) -> None:
    async def go() -> None:
        services = Services(Store(tmp_path / "runs"), Bundled(), {})
        services.begin()
        assert services.lab.document([])["loading"]
        before = services.pulse()
        known = await services.experiments()
        assert set(known) == set(registry.names()) and known["karate"]["presets"]["quick"]
        assert not services.lab.document([])["loading"] and services.pulse() != before
        await services.close()
        assert services.worker.link is not None and services.worker.link.process.returncode is not None

    asyncio.run(go())


def test_where_the_worker_cannot_start_the_lab_is_there_all_the_same(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(process, "MODULE", "regard.no_such_module")

    async def go() -> None:
        services = Services(Store(tmp_path / "runs"), Bundled(), {})
        services.begin()
        for _ in range(2):
            with pytest.raises(Refusal) as error:
                await services.experiments()
            assert error.value.status == 503
        assert services.lab.document([])["chapters"]
        await services.close()

    asyncio.run(go())


def test_the_pulse_changes_with_the_runs(tmp_path: Path, monkeypatch) -> None:
    from regard.lab.store import index

    monkeypatch.setattr(index, "FRESH", -1.0)

    async def go() -> None:
        services = Services(Store(tmp_path / "runs"), Bundled(), {})
        first = services.pulse()
        assert services.pulse() == first
        made(services.lab.store)
        assert services.pulse() != first
        await services.close()

    asyncio.run(go())
