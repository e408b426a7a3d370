"""A real browser in front of a real server; where there is no browser, the tests say so and how to get one."""

from collections.abc import Iterator
from typing import Any

import pytest

from browsing import Lab, Opened, axe_script, chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Lab]:
    found = Lab(tmp_path_factory.mktemp("lab"))
    found.start()
    yield found
    found.stop()


@pytest.fixture
def opened(browser: Any, lab: Lab) -> Iterator[Opened]:
    """Open a view; at the end of the test the browser must have had nothing to complain of, and asked nobody else."""
    contexts, complaints, foreign = [], list[str](), list[str]()

    def heard(message: Any) -> None:
        # That an answer was refused is for the view to tell; a test that wants it looks there.
        if message.type == "error" and "Failed to load resource" not in message.text:
            complaints.append(message.text)

    def visit(place: str, *, width: int = 1280, scheme: str = "light", at: Lab = lab) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("console", heard)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: request.url.startswith((at.base, "data:", "blob:")) or foreign.append(request.url))  # fmt: skip
        page.goto(at.address)
        page.goto(f"{at.base}#{place}")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert not complaints, "\n".join(complaints)
    assert not foreign, f"the page asked elsewhere: {foreign}"


@pytest.fixture(scope="session")
def axe() -> str:
    return axe_script()
