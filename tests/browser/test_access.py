"""For everyone: what axe finds in each view, light and dark; by keyboard alone; on a phone."""

from typing import Any

import pytest

from browsing import Lab, Opened, troubles

pytestmark = pytest.mark.slow
WRONG = """
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1) @ v
"""
READY = {
    "lab": ".experiment",
    "lab/experiment/scaled-dot-product": ".claims > li",
    "attention": ".heads canvas",
    "playground": ".distribution li",
    "operator": ".becomes strong",
    "graphs": "circle",
    "mixtures": ".map canvas",
    "check": ".verdict",
}
"What is there once a view is."
DRAWN = "images => Promise.all(images.map(image => image.decode().catch(() => null)))"
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"Sizes are told to those who watch them between two frames."


@pytest.fixture(scope="module", autouse=True)
def checked(lab: Lab) -> None:
    """A layer that was checked, so that there is a verdict to show."""
    (lab.folder / "mine.py").write_text(WRONG, encoding="utf-8")
    lab.command("check", "mine.py")


def recorded(page: Any, lab: Lab) -> dict[str, str]:
    """The places of a run that comes with the package, and of two beside each other."""
    runs = page.request.get(f"{lab.base}api/runs").json()["runs"]
    ids = [one["id"] for name in ("scaled-dot-product", "karate") for one in runs if one["name"] == name]
    return {f"lab/run/{ids[0]}": ".curves canvas", f"lab/compare/{ids[0]}/{ids[1]}": ".curves canvas"}


def visited(page: Any, lab: Lab) -> Any:
    """Each view, once it is there, its pictures are drawn, and it knows which of its parts are wider than the screen."""
    for place, sign in {**READY, **recorded(page, lab)}.items():
        page.evaluate("place => { location.hash = place }", place)
        page.locator(sign).first.wait_for()
        page.locator("img").evaluate_all(DRAWN)
        page.evaluate(FRAMES)
        yield place


@pytest.mark.parametrize(
    ("scheme", "width"),
    [("light", 1280), ("dark", 390)]
    + [pytest.param(*one, marks=pytest.mark.proof) for one in (("dark", 1280), ("light", 390))],
)
def test_axe_finds_nothing_serious(opened: Opened, lab: Lab, axe: str, scheme: str, width: int) -> None:
    page = opened("lab", scheme=scheme, width=width)
    # The policy of the page lets no foreign script in: the driver puts it past the policy.
    page.evaluate(axe)
    found = [f"{place}: {one}" for place in visited(page, lab) for one in troubles(page)]
    assert not found, "\n".join(found)


def test_nothing_is_wider_than_a_phone(opened: Opened, lab: Lab) -> None:
    page = opened("lab", width=390)
    for place in visited(page, lab):
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, place


def test_nothing_lies_below_the_end_of_a_page(opened: Opened, lab: Lab) -> None:
    page = opened("lab")
    below = "document.documentElement.scrollHeight - document.querySelector('footer').getBoundingClientRect().bottom - scrollY"
    for place in visited(page, lab):
        page.wait_for_timeout(100)
        assert abs(page.evaluate(below)) < 2, place


def test_the_views_are_reached_by_keyboard_alone(opened: Opened) -> None:
    page = opened("lab")
    page.locator(".experiment").first.wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the view"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Lab"
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator(".becomes strong").wait_for()
    assert page.title() == "Operator · regard"
    page.get_by_role("slider", name="tokens").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_label("Weights, 13 by 13").wait_for()


def test_the_theme_is_chosen_and_kept(opened: Opened) -> None:
    page = opened("lab")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.get_by_label("theme").select_option("dark")
    page.wait_for_function(f"{ground} !== 'rgb(255, 255, 255)'")
    dark = page.evaluate(ground)
    page.reload()
    page.locator(".experiment").first.wait_for()
    assert page.evaluate(ground) == dark
