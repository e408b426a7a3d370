"""One real server for the tests of the web."""

from collections.abc import Iterator

import pytest

from regard.lab.store.runs import Store
from regard.web.bundle import Bundled
from serving import PLACEHOLDER, Client, Running, made


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    root = tmp_path_factory.mktemp("web")
    store, static = Store(root / "runs"), root / "static"
    static.mkdir()
    (static / "index.html").write_text(PLACEHOLDER)
    (static / "app.js").write_text("// the front end")
    (root / "secret.txt").write_text("not to be served")
    made(store)
    found = Running(store, static, Bundled())
    yield found
    found.close()


@pytest.fixture(scope="session")
def client(running: Running) -> Client:
    return Client(running.address)
