"""`regard.show` and `regard.attention` in a real browser, as a notebook shows them: the same views, and no server."""

from typing import Any

import pytest
import torch

import regard
from regard.web.bundle import Bundled

pytestmark = pytest.mark.slow


@pytest.fixture
def page(browser: Any) -> Any:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def shown(page: Any, html: str) -> tuple[Any, list[str]]:
    """The frame of a cell's output, and whatever it asked a server for."""
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(f"<!doctype html><title>notebook</title>{html}")
    return page.frame_locator("iframe"), asked


def test_a_run_has_its_claims_curves_and_figures(page: Any) -> None:
    (run,) = [one for one in Bundled().runs.runs() if one.name == "scaled-dot-product"]
    frame, asked = shown(page, regard.show(run)._repr_html_())
    frame.locator(".curves canvas").first.wait_for()
    assert frame.locator(".claims > li").count() == len(run.verdicts)
    figure = frame.locator(".picture img").first
    assert figure.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    assert frame.locator(".picture img").count() == len(run.figures)
    assert not [url for url in asked if url.startswith("http")]


def test_attention_has_its_heads_and_its_tokens(page: Any) -> None:
    torch.manual_seed(0)
    seen = regard.attention(regard.MultiHead(width=6, heads=2), torch.randn(1, 5, 6), labels="abcde")
    frame, asked = shown(page, seen._repr_html_())
    frame.locator(".heads canvas").nth(1).wait_for()
    frame.get_by_role("button", name="layer 1, head 2").click()
    frame.get_by_role("heading", name="Layer 1, head 2").wait_for()
    frame.locator(".tokens button").nth(3).click()
    assert frame.get_by_text("“d” looks").is_visible()
    assert not [url for url in asked if url.startswith("http")]
