"""The playground in a real browser: a model speaks, rules cut, another path is taken, a beam searches."""

import json
import re
from typing import Any

import pytest

from browsing import Opened

pytestmark = pytest.mark.slow


def kept(page: Any) -> int:
    found = re.search(r"(\d+) of 65 tokens", page.locator("[aria-live=polite]").first.inner_text())
    assert found
    return int(found[1])


def shares(page: Any) -> list[str]:
    """What the rules leave of each candidate, as it is shown."""
    return [text.split(";")[0].strip() for text in page.locator(".distribution .number").all_text_contents()]


def move(page: Any, name: str, value: str) -> None:
    page.get_by_role("slider", name=name, exact=True).fill(value)


def ready(page: Any) -> None:
    page.locator(".distribution li").nth(9).wait_for()


def prompt(page: Any, text: str) -> None:
    """Type a prompt, and wait for what follows it."""
    ready(page)
    with page.expect_response(
        lambda answer: json.loads(answer.request.post_data or "{}").get("text") == text
    ):
        page.get_by_label("Prompt").fill(text)
    page.locator(".text").filter(has_text=text.strip()).wait_for()


def test_rules_cut_at_once_without_the_server(opened: Opened) -> None:
    page = opened("playground")
    prompt(page, "the ")
    page.route("**/api/next", lambda route: route.abort())
    move(page, "top-k", "5")
    assert kept(page) == 5
    move(page, "temperature", "0")
    assert kept(page) == 1
    assert shares(page)[:2] == ["100 %", "cut"]


def test_what_the_page_cuts_is_what_the_sampler_cuts(opened: Opened) -> None:
    page = opened("playground")
    prompt(page, "the ")
    for name, value in (("temperature", "0.7"), ("top-k", "12"), ("top-p", "0.8"), ("min-p", "0.1")):
        with page.expect_response("**/api/next") as answer:
            move(page, name, value)
        told = answer.value.json()
        assert kept(page) == told["kept"], name
        exact = [one["after"] for one in told["distribution"] if one["kept"]]
        shown = shares(page)[: len(exact)]
        for text, share in zip(shown, exact, strict=True):
            assert share < 0.001 if "<" in text else abs(float(text[:-2]) - 100 * share) < 0.06, (
                name,
                text,
                share,
            )


def test_a_model_speaks_and_another_path_is_taken(opened: Opened) -> None:
    page = opened("playground")
    ready(page)
    page.get_by_label("tokens", exact=True).first.fill("30")
    page.get_by_role("button", name="Let it speak").click()
    page.get_by_text("30 tokens drawn").wait_for()
    tokens = page.locator(".text button.token")
    assert tokens.count() == 30
    tokens.nth(9).click()
    assert page.get_by_role("heading", name="Step 10").is_visible()
    other = page.locator(".distribution button:not(.taken)").first
    taken = other.locator(".token").inner_text()
    other.click()
    page.get_by_text("10 tokens drawn").wait_for()
    assert tokens.nth(9).inner_text().replace(" ", "␣").replace("\n", "↵") in (taken, "␣", "↵")
    page.get_by_role("button", name="Go on from here").click()
    page.get_by_text("40 tokens drawn").wait_for()


def test_a_beam_grows_a_tree(opened: Opened) -> None:
    page = opened("playground")
    ready(page)
    page.get_by_role("slider", name="beams").fill("3")
    page.get_by_role("slider", name="tokens").fill("6")
    page.get_by_role("button", name="Search").click()
    page.get_by_text("Found:").wait_for()
    kept_ones = page.locator(".tree text.kept")
    assert kept_ones.count() == 18
    assert page.locator(".tree text").count() > 18


def test_a_wrong_number_of_tokens_is_told(opened: Opened) -> None:
    page = opened("playground")
    ready(page)
    page.get_by_label("tokens", exact=True).first.fill("9999")
    assert page.get_by_text("Give a whole number of tokens from 1 to 512").is_visible()
    assert page.get_by_role("button", name="Let it speak").is_disabled()
