"""The lab from the form to a shared file, in a real browser: run, watch, stop, go on, compare, share."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from browsing import Lab, Opened
from regard.lab.book.titles import TITLES

pytestmark = pytest.mark.slow
EXPERIMENT = "lab/experiment/scaled-dot-product"
SMALL = {"seeds": "2", "draws": "200", "widths": "4, 16"}


def start(page: Any, settings: dict[str, str]) -> None:
    """Fill the form and press Run; the page goes on to the run."""
    page.locator("summary", has_text="setting").click()
    for name, value in settings.items():
        page.get_by_label(name, exact=True).fill(value)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**/#lab/run/**")


def test_every_experiment_is_there_and_can_be_found(opened: Opened) -> None:
    page = opened("lab")
    page.get_by_role("link", name=TITLES["scaled-dot-product"], exact=True).wait_for()
    assert page.locator(".experiment").count() > 40
    assert set(page.locator(".experiment .name").all_inner_texts()) == set(TITLES.values())
    page.get_by_label("Find an experiment").fill("softmax flash")
    page.locator(".experiment").nth(1).wait_for(state="detached")
    assert page.locator(".experiment .name").all_inner_texts() == [TITLES["theory-flash-attention"]]


def test_a_wrong_setting_is_told_kindly_and_cannot_be_run(opened: Opened) -> None:
    page = opened(EXPERIMENT)
    page.locator("summary", has_text="setting").click()
    page.get_by_label("seeds", exact=True).fill("2.5")
    assert page.get_by_text("2.5 is not whole.").is_visible()
    page.get_by_label("seeds", exact=True).fill("many")
    assert page.get_by_text("this is “many”.").is_visible()
    page.get_by_label("seeds", exact=True).fill("-1")
    assert page.get_by_text("-1 is outside.").is_visible()
    assert page.get_by_role("button", name="Run", exact=True).is_disabled()
    page.get_by_role("button", name="Back to the preset").click()
    assert page.get_by_role("button", name="Run", exact=True).is_enabled()


def test_a_run_is_started_watched_compared_and_shared(opened: Opened, browser: Any, tmp_path: Path) -> None:
    page = opened(EXPERIMENT)
    start(page, SMALL)
    page.get_by_text("finished", exact=True).wait_for(timeout=90_000)
    assert page.locator(".curves canvas").count() >= 2
    assert page.locator(".claims > li").count() == 8
    figure = page.locator(".picture img").first
    assert figure.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100

    with page.expect_download() as download:
        page.get_by_role("link", name="Share as one HTML file").click()
    shared = tmp_path / "shared.html"
    download.value.save_as(shared)
    context = browser.new_context()
    alone, asked = context.new_page(), list[str]()
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(shared.as_uri())
    alone.get_by_text("Why does attention divide").first.wait_for()
    assert alone.locator("figure svg, figure img").count() >= 2
    assert alone.get_by_text("largest gap of the mean").first.is_visible()
    assert not [url for url in asked if url.startswith("http")]
    context.close()

    page.get_by_role("link", name="scaled-dot-product").click()
    page.locator(".runs input").nth(1).wait_for()
    page.locator(".runs input").nth(0).check()
    page.locator(".runs input").nth(1).check()
    page.get_by_role("link", name="Compare the two").click()
    page.get_by_role("heading", name="What differs between the two?").wait_for()
    page.get_by_role("rowheader", name="draws").wait_for()
    assert page.get_by_role("columnheader", name="first minus second").is_visible()
    page.locator(".curves canvas").first.wait_for()


def test_a_run_is_stopped_and_taken_up(opened: Opened) -> None:
    page = opened(EXPERIMENT)
    start(page, {"seeds": "60"})
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("This run was stopped before it was done.").wait_for(timeout=60_000)
    page.get_by_role("button", name="Go on with it").click()
    page.get_by_text("running", exact=True).wait_for(timeout=60_000)
    page.get_by_role("button", name="Stop").click()


SLOW = """
import time
from regard.lab.events import Metric, ProgressEvent, TextEvent
from regard.lab.experiment import Experiment


def steps(settings, context):
    for step in range(1000):
        yield Metric("loss", 4.0 / (1 + step), 0, {"step": step})
        yield TextEvent(f"after step {step}", f"It says {step} words.")
        yield ProgressEvent("learning", min(1.0, step / 40))
        time.sleep(0.2)
        if (context.folder / "enough").exists():
            return


EXPERIMENT = Experiment(name="slow", question="Does it grow?", run=steps)
"""


def test_curves_and_samples_grow_while_it_runs(opened: Opened, lab: Lab) -> None:
    (lab.folder / "slow.py").write_text(SLOW, encoding="utf-8")
    words = [sys.executable, "-m", "regard", "run", "slow.py"]
    process = subprocess.Popen(words, cwd=lab.folder, env=lab.variables, stdout=subprocess.DEVNULL)
    try:
        page = opened("lab")
        page.get_by_role("link", name="slow", exact=True).click()
        page.locator(".runs a").first.click()
        page.get_by_text("running", exact=True).wait_for()
        curve, texts = page.locator(".curves [role=img]"), page.get_by_text("words.")
        curve.wait_for()
        told, many = curve.get_attribute("aria-label"), texts.count()
        page.wait_for_function(
            "told => document.querySelector('regard-lab').shadowRoot.querySelector('.curves [role=img]').ariaLabel !== told",
            arg=told,
        )
        page.get_by_text(f"It says {many + 3} words.").wait_for(state="attached")
        assert texts.count() > many
        page.get_by_text("learning").wait_for()
        page.locator(".curves [role=img]").hover()
        page.locator(".key li").filter(has_text="at step").wait_for()
        (run,) = (lab.folder / "runs").glob("slow-*")
        (run / "enough").touch()
        page.get_by_text("finished", exact=True).wait_for()
    finally:
        process.terminate()
        process.wait(20)


def test_a_list_of_numbers_says_so_and_an_empty_list_of_runs_names_its_command(opened: Opened) -> None:
    page = opened("lab/experiment/one-operator")
    page.route(
        "**/api/runs?experiment=*",
        lambda route: route.fulfill(json={"kind": "runs", "version": 1, "runs": []}),
    )
    page.evaluate("location.hash = 'lab/experiment/scaled-dot-product'")
    page.get_by_text("regard run scaled-dot-product", exact=True).wait_for()
    page.locator("summary", has_text="setting").click()
    said = (
        page.locator(".field")
        .filter(has=page.get_by_label("widths", exact=True))
        .locator(".doc")
        .inner_text()
    )
    assert "Whole numbers from" in said and said.endswith("separated by commas."), said
    page.get_by_label("widths", exact=True).fill("4, x")
    assert page.get_by_text("Give whole numbers").is_visible()
