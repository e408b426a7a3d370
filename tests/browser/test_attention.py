"""Attention in a real browser: every head of a real model on a text that is typed."""

import base64
import io
import json
from typing import Any

import numpy as np
import pytest
from PIL import Image

from browsing import Opened

pytestmark = pytest.mark.slow


def first_guesses(page: Any) -> list[str]:
    return page.locator(".guesses .number").all_inner_texts()


def test_each_head_is_shown_on_what_is_typed(opened: Opened) -> None:
    page = opened("attention")
    page.get_by_label("Text", exact=True).fill("to be or not")
    page.get_by_role("status").filter(has_text="12 tokens seen").wait_for(state="attached")
    heads = page.locator(".heads button")
    assert heads.count() == 16
    heads.nth(0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.get_by_role("heading", name="Layer 2, head 2").is_visible()

    page.get_by_role("application").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    reading = page.locator(".reading").inner_text()
    assert reading.startswith("“␣” (3) gives “o” (2)"), reading
    page.keyboard.press("Enter")
    assert "pinned" in page.locator(".reading").inner_text()


def test_the_future_has_no_weight_in_any_head(opened: Opened) -> None:
    page = opened("attention")
    page.locator(".heads canvas").nth(15).wait_for()
    above = """canvas => {
        const {width, height} = canvas, pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
        let found = 0;
        for (let i = 0; i < height; i++) for (let j = i + 1; j < width; j++) found += pixels[4 * (i * width + j)] < 255;
        return found;
    }"""
    below = above.replace("j = i + 1; j < width", "j = 0; j <= i")
    maps = page.locator(".heads canvas")
    assert [maps.nth(i).evaluate(above) for i in range(16)] == [0] * 16
    assert all(maps.nth(i).evaluate(below) > 100 for i in range(16))


def test_a_head_that_is_switched_off_changes_the_prediction(opened: Opened) -> None:
    page = opened("attention")
    page.locator(".guesses .number").first.wait_for()
    before = first_guesses(page)
    page.get_by_role("button", name="Switch this head off").click()
    page.get_by_text("The mark is the probability").wait_for()
    now = first_guesses(page)
    assert now != before
    assert before[0] in now[0].split(" was ")[1], (before[0], now[0])
    page.get_by_role("button", name="all on").click()
    page.get_by_text("The mark is the probability").wait_for(state="detached")
    assert first_guesses(page) == before


def test_maps_are_saved_as_page_picture_and_table(opened: Opened, browser: Any, tmp_path: Any) -> None:
    page = opened("attention")
    page.get_by_label("Text", exact=True).fill("-to & be")
    page.get_by_role("status").filter(has_text="8 tokens seen").wait_for(state="attached")
    saved = {}
    for kind in ("HTML", "PNG", "CSV"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        saved[kind] = tmp_path / f"saved.{kind.lower()}"
        download.value.save_as(saved[kind])
    assert saved["PNG"].read_bytes().startswith(b"\x89PNG")
    rows = saved["CSV"].read_text(encoding="utf-8").splitlines()
    assert len(rows) == 9
    assert rows[1].startswith('"\'-",1,0,'), rows[1]
    context = browser.new_context()
    alone = context.new_page()
    alone.goto(saved["HTML"].as_uri())
    alone.get_by_role("heading", name="Heads by layers").wait_for()
    assert alone.locator(".tokens button").all_inner_texts() == list("-to␣&␣be")
    assert alone.get_by_role("button", name="Switch this head off").count() == 0
    context.close()


def test_a_text_beyond_the_context_is_told(opened: Opened) -> None:
    page = opened("attention")
    page.get_by_label("Text", exact=True).fill("so long a text " * 60)
    page.locator(".tokens button").nth(127).wait_for()
    assert page.locator(".tokens button").count() == 128
    assert page.locator("p.open").is_visible()


def test_a_picture_is_made_small_in_the_page_and_looked_into(opened: Opened, tmp_path: Any) -> None:
    page = opened("attention")
    page.locator(".heads canvas").first.wait_for()
    choices = page.get_by_label("Model")
    vision = choices.locator("option").filter(has_text="digit").first.get_attribute("value")
    choices.select_option(vision)
    # Before a person gives anything there is a digit to look into; another one is typed.
    page.get_by_role("heading", name="What it sees in it").wait_for()
    before = page.locator(".guesses").inner_text()
    with page.expect_response("**/api/attention") as answered:
        page.get_by_label("or a character").fill("1")
    assert sum(json.loads(answered.value.request.post_data)["image"]["pixels"]) > 0
    page.wait_for_function("before => document.querySelector('regard-attention').shadowRoot.querySelector('.guesses').innerText !== before", arg=before)  # fmt: skip
    picture = Image.new("L", (300, 200))
    picture.paste(255, (140, 40, 160, 160))
    picture.save(tmp_path / "one.png")
    with page.expect_request("**/api/attention") as asked:
        page.locator("#picture").set_input_files(tmp_path / "one.png")
    sent = json.loads(asked.value.post_data)["image"]
    assert (sent["width"], sent["height"], sent["channels"]) == (28, 28, 1)
    patches = page.locator(".patches button")
    patches.first.wait_for()
    patches.nth(3).click()
    assert "weight" in patches.nth(0).get_attribute("aria-label")
    assert page.get_by_role("heading", name="What it sees in it").is_visible()

    (tmp_path / "no.png").write_text("no picture")
    page.locator("#picture").set_input_files(tmp_path / "no.png")
    page.get_by_text("“no.png” is no picture that this browser can read").wait_for()


def centre(page: Any, rows: int, row: int, column: int) -> tuple[float, float]:
    """Where a cell of the large map lies on the screen."""
    matrix = page.get_by_role("application")
    matrix.scroll_into_view_if_needed()
    box = matrix.bounding_box()
    return box["x"] + box["width"] * (column + 0.5) / rows, box["y"] + box["height"] * (row + 0.5) / rows


def test_what_the_mouse_points_at_is_told_and_lit_in_the_text(opened: Opened) -> None:
    page = opened("attention")
    page.get_by_label("Text", exact=True).fill("to be or not")
    page.get_by_role("status").filter(has_text="12 tokens seen").wait_for(state="attached")
    reading = page.locator(".reading")
    page.mouse.move(*centre(page, 12, 4, 1))
    assert reading.inner_text().startswith("“e” (5) gives “o” (2)"), reading.inner_text()
    assert page.locator(".tokens button.chosen").all_inner_texts() == ["e"]
    page.mouse.move(*centre(page, 12, 5, 3))
    assert reading.inner_text().startswith("“␣” (6) gives “b” (4)")
    page.mouse.move(5, 5)
    assert reading.inner_text().startswith("Shades run from"), "the mouse has left"
    page.locator(".tokens button").nth(3).hover()
    assert reading.inner_text().startswith("“b” (4) gives")
    labels = page.locator(".heat .cols span").all_inner_texts()
    assert labels == list("to␣be␣or␣not") == page.locator(".heat .rows span").all_inner_texts()


LONG, HEADS = 320, 8


def test_a_text_of_320_tokens_is_drawn_and_followed_smoothly(opened: Opened) -> None:
    page = opened("lab")
    page.locator(".experiment").first.wait_for()
    generator = np.random.default_rng(0)
    weights = np.tril(generator.random((2, HEADS, LONG, LONG)))
    weights /= weights.sum(-1, keepdims=True)
    document = {
        "kind": "attention", "version": 1, "tokens": [chr(97 + i % 26) for i in range(LONG)], "layers": 2, "heads": HEADS, "n": LONG,
        "weights": base64.b64encode(weights.astype("<f2").tobytes()).decode(),
    }  # fmt: skip
    page.evaluate(
        """text => {
            const view = document.createElement("regard-attention");
            view.document = JSON.parse(text);
            document.body.replaceChildren(view);
        }""",
        json.dumps(document),
    )
    page.get_by_role("application").wait_for()
    assert page.locator(".matrix canvas").evaluate("canvas => [canvas.width, canvas.height]") == [LONG, LONG]
    assert page.locator(".heads canvas").count() == 2 * HEADS
    # Each step of the mouse is told before the next frame is drawn: what it costs is the time between the two.
    times = page.get_by_role("application").evaluate(
        """async matrix => {
            const [box, times, said] = [matrix.getBoundingClientRect(), [], new Set()];
            for (let step = 0; step < 60; step++) {
                const place = share => Math.floor(share * step / 60);
                await new Promise(requestAnimationFrame);
                const began = performance.now();
                matrix.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + place(box.width) / 2, clientY: box.top + place(box.height) + 1, bubbles: true }));
                await Promise.resolve();
                matrix.getBoundingClientRect();
                times.push(performance.now() - began);
                said.add(matrix.getRootNode().querySelector(".reading").textContent);
            }
            return [said.size, times.sort((a, b) => a - b)[30]];
        }"""
    )
    assert times[0] > 50, "each step is another cell"
    assert times[1] < 16, "half the steps fit in a frame of a screen at 60 Hz"


def test_a_picture_that_is_dropped_is_looked_into(opened: Opened) -> None:
    page = opened("attention")
    choices = page.get_by_label("Model")
    choices.locator("option").filter(has_text="digit").first.wait_for(state="attached")
    choices.select_option(choices.locator("option").filter(has_text="digit").first.get_attribute("value"))
    page.get_by_role("heading", name="What it sees in it").wait_for()
    picture = Image.new("L", (120, 80))
    picture.paste(255, (55, 10, 65, 70))
    made = io.BytesIO()
    picture.save(made, "PNG")
    given = page.evaluate_handle(
        """bytes => {
            const given = new DataTransfer();
            given.items.add(new File([Uint8Array.from(atob(bytes), one => one.charCodeAt(0))], "one.png", { type: "image/png" }));
            return given;
        }""",
        base64.b64encode(made.getvalue()).decode(),
    )
    place = page.get_by_role("group", name="A picture")
    place.dispatch_event("dragover", {"dataTransfer": given})
    assert "over" in place.get_attribute("class")
    with page.expect_request("**/api/attention") as asked:
        place.dispatch_event("drop", {"dataTransfer": given})
    sent = json.loads(asked.value.post_data)["image"]
    lit = np.array(sent["pixels"]).reshape(28, 28) > 0
    assert 0 < lit.sum() < 28 * 28 / 4 and lit.any(0).argmax() > 8, "a stroke in the middle"
    assert "over" not in place.get_attribute("class")
