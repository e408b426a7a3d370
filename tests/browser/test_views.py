"""Operator, graphs, mixtures and checks in a real browser, each on the documents of a real server."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from browsing import Lab, Opened

pytestmark = pytest.mark.slow
WRONG = """
import math
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads, self.mix, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)))

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (part.view(b, n, self.heads, -1).transpose(1, 2) for part in self.mix(x).split(c, 2))
        scores = (q @ k.mT / math.sqrt(c)).masked_fill(self.mask[:n, :n] == 0, -math.inf)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
"""


PIXELS = "canvas => [...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data].join()"


def test_a_choice_changes_matrix_cost_and_lines(opened: Opened) -> None:
    page = opened("operator")
    page.locator(".becomes strong").wait_for()
    pictures = page.locator(".matrix canvas")
    before = [pictures.nth(i).evaluate(PIXELS) for i in range(2)]
    assert "attend(q, k, v)" in page.locator("pre").inner_text()
    page.get_by_label("support").select_option("causal")
    page.get_by_text("support=Causal()").wait_for()
    after = [pictures.nth(i).evaluate(PIXELS) for i in range(2)]
    assert after[0] != before[0] and after[1] != before[1], "what is drawn is what was chosen"
    matrix = page.get_by_role("application").first
    matrix.focus()
    for key in ("ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert page.locator(".reading").first.inner_text() == "row 1, column 2: 0"
    page.get_by_role("slider", name="tokens").fill("5")
    page.get_by_label("Weights, 5 by 5").wait_for()


def test_another_choice_becomes_another_row_of_the_table_at_another_cost(opened: Opened) -> None:
    page = opened("operator")
    page.get_by_text("the transformer's attention").wait_for()
    costs = page.locator(".costs").inner_text()
    page.get_by_label("similarity").select_option("kernel")
    page.get_by_label("normalise").select_option("divide")
    page.locator(".becomes strong").filter(has_text="linear attention").wait_for()
    now = page.locator(".costs").inner_text()
    formulas = [text.split("formula")[1].split("operations")[0].strip() for text in (costs, now)]
    assert formulas[0] != formulas[1] and "linear" in now.split("computed by")[1]
    page.get_by_role("slider", name="tokens").fill("24")
    page.get_by_label("Weights, 24 by 24").wait_for()
    assert page.locator(".costs").inner_text() != now, "twice the tokens cost more"
    assert page.get_by_text("A row for each query, a column for each key.").is_visible()


def test_choices_that_do_not_go_together_are_refused_with_a_reason(opened: Opened) -> None:
    page = opened("operator")
    page.locator(".becomes strong").wait_for()
    page.get_by_label("normalise").select_option("divide")
    page.locator(".notice .what").wait_for()
    assert page.locator(".notice p").count() >= 2


def test_a_node_tells_to_whom_it_listens(opened: Opened) -> None:
    page = opened("graphs")
    page.locator("circle").nth(33).wait_for()
    page.get_by_label("node", exact=True).select_option("33")
    page.get_by_role("heading", name="33 listens to").wait_for()
    shares = [float(text.split()[-2]) for text in page.locator(".guesses .number").all_inner_texts()]
    assert shares == sorted(shares, reverse=True)
    assert abs(sum(shares) - 100) < 1, "the weights of a node's neighbours sum to one"
    before = page.locator("circle").nth(5).get_attribute("cx")
    page.get_by_label("place the nodes by their embedding").check()
    assert page.locator("circle").nth(5).get_attribute("cx") != before
    moved = page.locator("circle").nth(5).get_attribute("cx")
    page.get_by_role("slider", name="epoch").fill("0")
    assert page.locator("circle").nth(5).get_attribute("cx") != moved
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowLeft")
    assert page.get_by_role("heading", name="33 listens to").count() == 0


def test_cora_is_shown_by_neighbourhoods(opened: Opened) -> None:
    page = opened("graphs")
    page.get_by_label("graph", exact=True).select_option("cora")
    page.get_by_label("centre").wait_for()
    page.get_by_text(
        "Neural Networks", exact=True
    ).wait_for()  # the fields that meet around the first paper have names
    around = page.locator("circle")
    far = around.count()
    before = around.nth(5).get_attribute("cx")
    page.get_by_label("place the nodes by their embedding").check()
    assert around.nth(5).get_attribute("cx") != before
    page.get_by_role("slider", name="epoch").fill("0")
    page.get_by_text("The edges keep their weights of the end.").wait_for()
    page.get_by_role("slider", name="hops").fill("1")
    page.wait_for_function(
        "far => document.querySelector('regard-graph').shadowRoot.querySelectorAll('circle').length < far",
        arg=far,
    )


def test_a_graph_is_saved_as_page_picture_and_table(opened: Opened, browser: Any, tmp_path: Path) -> None:
    page = opened("graphs")
    page.locator("circle").nth(33).wait_for()
    for kind in ("html", "png", "csv"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind.upper(), exact=True).click()
        download.value.save_as(tmp_path / f"saved.{kind}")
    rows = (tmp_path / "saved.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == '"heard","listener","weight"'
    heard = [float(row.split(",")[2]) for row in rows[1:] if row.split(",")[1] == '"33"']
    assert abs(sum(heard) - 1) < 0.02, "the weights of all that 33 hears"
    picture = Image.open(tmp_path / "saved.png").convert("RGB")
    assert picture.size == (1200, 960) and len(picture.getcolors(2**20) or []) > 50
    context = browser.new_context()
    alone = context.new_page()
    alone.goto((tmp_path / "saved.html").as_uri())
    alone.locator("circle").nth(33).wait_for()
    context.close()


def test_the_boxes_have_no_gradient_and_the_gaussians_move(opened: Opened) -> None:
    page = opened("mixtures")
    page.get_by_text("centres have a gradient of exactly zero").wait_for()
    first, second = page.locator(".map canvas").nth(0), page.locator(".map canvas").nth(1)
    drawn = "canvas => canvas.toDataURL()"
    before = first.evaluate(drawn)
    page.get_by_role("slider", name="epoch").press("End")
    page.get_by_text("centres have a gradient of exactly zero").wait_for()
    assert first.evaluate(drawn) != before
    assert second.evaluate("canvas => canvas.width") > 100
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").click()


def test_a_check_in_the_terminal_appears_with_its_mistake(opened: Opened, lab: Lab) -> None:
    page = opened("check")
    page.get_by_text("Nothing has been checked yet").wait_for()
    assert page.get_by_text("regard check mine.py").is_visible()
    (lab.folder / "mine.py").write_text(WRONG, encoding="utf-8")
    lab.command("check", "mine.py")
    page.reload()
    page.get_by_text("divided by the square root of the model width").first.wait_for()
    assert page.get_by_role("heading", name="Expected", exact=True).is_visible()
    assert page.get_by_role("heading", name="Actual", exact=True).is_visible()
    assert page.get_by_text("mine.py:").first.is_visible()
    assert page.get_by_text("The right lines").is_visible()
    step = page.locator("section", has=page.get_by_role("heading", name="The step at which the two part"))
    assert "math.sqrt(" in step.locator("pre").inner_text()
    assert page.locator(".verdict").first.inner_text()[0].isupper()
    assert page.get_by_role("heading", name="Actual minus expected").is_visible()
    page.get_by_role("link", name="The page of this mistake").click()
    page.get_by_role(
        "heading", name="The scores are divided by the square root of the model width"
    ).wait_for()
    assert page.locator("svg.cells").count() == 2
    page.get_by_role("link", name="causal self-attention").first.click()
    page.get_by_role("heading", name="Known mistakes").wait_for()
