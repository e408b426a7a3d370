"""Every state of the views that nobody hopes for: gone, started anew, busy, broken, half a document, hostile texts."""

import json
from typing import Any

import pytest

from browsing import Lab, Opened
from regard.lab.book.titles import TITLES
from serving import HOSTILE as HUNDRED

pytestmark = pytest.mark.slow
VIEWS = ("lab", "run", "attention", "playground", "operator", "graph", "mixture", "check")
HOSTILE = (
    '<img src=x onerror="window.struck=1"><script>window.struck=1</script>{{7*7}}javascript:window.struck=1'
)
RUN = {
    "kind": "run", "version": 1, "id": "r", "name": HOSTILE, "question": HOSTILE, "answer": [HOSTILE], "state": HOSTILE,
    "claims": [{"name": HOSTILE, "state": "failed", "value": "nan", "band": HOSTILE, "why": HOSTILE, "reason": HOSTILE}],
    "numbers": [{"name": HOSTILE, "mean": "inf", "low": "-inf", "high": None, "what": HOSTILE}],
    "curves": [{"name": HOSTILE, "axis": HOSTILE, "series": [{"label": HOSTILE, "x": [0, 1], "mean": ["nan", 2]}]}],
    "tables": [{"name": HOSTILE, "columns": [HOSTILE], "rows": [[HOSTILE]], "caption": HOSTILE}],
    "texts": [{"name": HOSTILE, "text": HOSTILE}], "settings": {HOSTILE: HOSTILE}, "environment": {HOSTILE: HOSTILE},
    "figures": [{"name": HOSTILE, "caption": HOSTILE, "svg": "<svg xmlns='http://www.w3.org/2000/svg' onload='window.struck=1'/>"}],
}  # fmt: skip
OTHERS = {
    "lab": {"chapters": [{"name": HOSTILE, "experiments": [{"name": HOSTILE, "question": HOSTILE}]}], "running": [{"id": HOSTILE}]},
    "attention": {"tokens": [HOSTILE], "layers": 1, "heads": 1, "n": 1, "weights": "ADw=", "next": [{"token": HOSTILE, "p": 1}]},
    "playground": {"prompt": HOSTILE, "steps": [{"id": 1, "token": HOSTILE, "p": 0.5, "distribution": [{"id": 1, "token": HOSTILE, "p": 1}]}]},
    "operator": {"row": HOSTILE, "python": [HOSTILE], "weights": [[1]], "output": [["nan"]], "backend": HOSTILE, "reason": HOSTILE, "cost": {"formula": HOSTILE}, "choices": {"support": [HOSTILE]}},
    "graph": {"nodes": [{"id": 0, "label": HOSTILE, "klass": HOSTILE}, {"id": 1}], "edges": [{"source": 0, "target": 1}], "made": HOSTILE},
    "mixture": {"points": [[0, 0], [1, 1]], "frames": [{"epoch": 0}], "made": HOSTILE},
    "check": {"target": HOSTILE, "verdict": HOSTILE, "sentences": [HOSTILE], "line": 1, "code": HOSTILE, "fix": HOSTILE, "evidence": [HOSTILE], "page": {"title": HOSTILE, "why": HOSTILE, "right_lines": [{"text": HOSTILE}]}},
}  # fmt: skip

OWN = """
from regard.lab.events import Metric
from regard.lab.experiment import Experiment


def steps(settings, context):
    for step in range(5):
        yield Metric("loss", 1 / (1 + step), 0, {"step": step})
    raise ValueError("the loss is not finite")


EXPERIMENT = Experiment(name="mine", question="Does it end?", run=steps)
"""


def doubled(value: Any) -> Any:
    """A document in which every list holds everything twice."""
    if isinstance(value, dict):
        return {name: doubled(one) for name, one in value.items()}
    return [doubled(one) for one in value] * 2 if isinstance(value, list) else value


def show(page: Any, view: str, document: dict[str, Any]) -> Any:
    """Put one view with one document, and no server, in place of the page."""
    page.evaluate(
        """([tag, text]) => {
            const view = document.createElement(tag);
            view.document = JSON.parse(text);
            document.body.replaceChildren(view);
        }""",
        [f"regard-{view}", json.dumps(document)],
    )
    return page.locator(f"regard-{view}")


def test_half_a_document_is_no_reason_to_break(opened: Opened) -> None:
    page = opened("lab")
    page.locator(".experiment").first.wait_for()
    for view in VIEWS:
        shown = show(page, view, {"kind": view, "version": 1})
        assert shown.evaluate("view => view.shadowRoot.textContent").strip(), view


def instead(fields: Any, text: str) -> Any:
    """A document with another text in every field."""
    return json.loads(json.dumps(fields).replace(json.dumps(HOSTILE)[1:-1], json.dumps(text)[1:-1]))


def test_a_hostile_text_is_a_text(opened: Opened) -> None:
    page, struck = opened("lab"), list[str]()
    page.on("dialog", lambda dialog: (struck.append(dialog.message), dialog.dismiss()))
    page.locator(".experiment").first.wait_for()
    for evil in (HOSTILE, *HUNDRED[::12]):
        for view, fields in instead({"run": RUN, **OTHERS}, evil).items():
            shown = show(page, view, {"kind": view, "version": 1, **fields})
            said = shown.evaluate("view => view.shadowRoot.textContent")
            assert evil.strip() in said or evil.replace(" ", "␣") in said, (view, evil)
            page.wait_for_timeout(30)
            assert page.evaluate("window.struck") is None and not struck, (view, evil)


def test_a_sentence_of_a_check_begins_as_one_unless_it_begins_with_a_name_of_code(opened: Opened) -> None:
    page = opened("lab")
    page.locator(".experiment").first.wait_for()
    said = ["the scores are wrong", "a mask is missing", "q meets v", "c_attn is not used", "√d is missing"]
    shown = show(page, "check", {"kind": "check", "version": 1, "target": "mine.py", "sentences": said})
    assert shown.locator(".verdict").all_inner_texts() == [
        "The scores are wrong", "A mask is missing", "q meets v", "c_attn is not used", "√d is missing",
    ]  # fmt: skip


def test_what_is_told_twice_is_shown_twice(opened: Opened) -> None:
    page = opened("lab")
    page.locator(".experiment").first.wait_for()
    for view, fields in {"run": RUN, **OTHERS}.items():
        shown = show(page, view, {"kind": view, "version": 1, **doubled(fields)})
        assert shown.evaluate("view => view.shadowRoot.textContent").strip(), view
    assert show(page, "run", doubled(RUN)).locator(".claims > li").count() == 2


def test_a_run_that_broke_says_why(opened: Opened) -> None:
    page = opened("lab")
    page.route("**/api/runs/broken", lambda route: route.fulfill(json={"kind": "run", "version": 1, "name": "karate", "state": "broken", "error": "MemoryError: no room"}))  # fmt: skip
    page.evaluate("location.hash = 'lab/run/broken'")
    page.get_by_text("This run broke before it was done.").wait_for()
    assert page.get_by_text("MemoryError: no room").is_visible()
    assert page.get_by_role("button", name="Go on with it").is_visible()


def test_a_run_of_ones_own_file_is_found_and_taken_up_in_a_terminal(opened: Opened, lab: Lab) -> None:
    (lab.folder / "mine.py").write_text(OWN, encoding="utf-8")
    lab.command("run", "mine.py")
    page = opened("lab")
    page.get_by_role("link", name="mine", exact=True).click()
    page.get_by_text("This one is yours: run it in a terminal").wait_for()
    page.locator(".runs a").first.click()
    page.get_by_text("This run broke before it was done.").wait_for()
    assert page.get_by_text("ValueError: the loss is not finite").is_visible()
    assert page.get_by_text("--resume mine-quick-").is_visible()
    assert page.get_by_role("button", name="Go on with it").count() == 0
    page.locator(".curves canvas").wait_for()


def test_a_run_without_its_data_says_what_to_bring(opened: Opened, lab: Lab) -> None:
    lacking = OWN.replace('raise ValueError("the loss is not finite")', 'raise Unreachable("no such data here", "heights.csv", "bring the file")')  # fmt: skip
    head = "from regard.errors import Unreachable"
    (lab.folder / "lacking.py").write_text(head + lacking.replace('"mine"', '"lacking"'), encoding="utf-8")
    lab.command("run", "lacking.py")
    page = opened("lab")
    page.get_by_role("link", name="lacking", exact=True).click()
    page.locator(".runs a").first.click()
    page.get_by_text("This run lacks its data.").wait_for()
    told = page.get_by_role("alert").inner_text()
    assert "no such data here" in told or "heights.csv" in told, told
    assert page.get_by_text("without data", exact=True).first.is_visible()
    page.locator(".curves canvas").wait_for()


NOTED = """() => {
    window.noted = [];
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { noted.push(text); return write.call(this, text, ...rest); };
}"""


@pytest.mark.parametrize(
    ("xs", "ys", "wanted"),
    [
        ([0, 1], [4.1, 4.175], {"4.10", "4.12", "4.14", "4.16"}),
        ([0, 40_000], [-20_000, 20_000], {"0", "10 k", "20 k", "−10 k", "−20 k", "30 k", "40 k"}),
        ([-2, 2], [-0.5, 0.5], {"−0.4", "0", "0.4", "−2.0", "−1.0", "1.0", "2.0"}),
        ([0, 8], [0.0001, 0.0004], {"1e−4", "2e−4"}),
    ],
)
def test_the_ticks_of_a_chart_have_the_digits_of_their_step(
    opened: Opened, xs: list[float], ys: list[float], wanted: set[str]
) -> None:
    page = opened("lab")
    page.locator(".experiment").first.wait_for()
    page.evaluate(NOTED)
    curve = {"name": "loss", "axis": "step", "series": [{"label": "", "x": xs, "mean": ys}]}
    show(page, "run", {"kind": "run", "version": 1, "name": "r", "state": "finished", "curves": [curve]})
    page.wait_for_function("noted.length > 4")
    noted = set(page.evaluate("noted")) - {"step"}
    assert wanted <= noted, sorted(noted)
    assert not [one for one in noted if "-" in one], "one sign for minus"


def test_what_is_not_there_is_told_in_three_lines(opened: Opened) -> None:
    page = opened("lab/run/none-of-that-name")
    page.locator(".notice .what").wait_for()
    assert page.locator(".notice p").count() == 3


def test_a_busy_server_is_asked_again(opened: Opened) -> None:
    page = opened("lab")
    busy = {"kind": "error", "what": "Others are being served.", "got": "5 requests", "fix": "Wait a moment."}
    page.route("**/api/operator?*", lambda route: route.fulfill(status=429, json=busy), times=1)
    page.evaluate("location.hash = 'operator'")
    page.get_by_text("Others are being served.").wait_for()
    page.get_by_text("Others are being served.").wait_for(state="detached")
    page.locator(".becomes strong").wait_for()


def test_a_ninth_page_that_may_not_listen_looks_for_itself(opened: Opened) -> None:
    page = opened("operator")
    page.locator(".becomes strong").wait_for()
    full = {"kind": "error", "what": "too many pages listen", "got": "8 streams are open", "fix": "close one"}
    page.route("**/api/events", lambda route: route.fulfill(status=429, json=full))
    page.evaluate("location.hash = 'lab'")
    page.locator(".experiment").first.wait_for()
    with page.expect_response("**/api/lab", timeout=15_000):
        pass
    assert page.get_by_text("The server is").count() == 0
    page.unroute("**/api/events")
    with page.expect_response("**/api/events", timeout=15_000) as heard:
        pass
    assert heard.value.status == 200


def test_a_server_that_is_gone_is_waited_for(opened: Opened) -> None:
    page = opened("operator")
    page.locator(".becomes strong").wait_for()
    page.context.set_offline(True)
    page.get_by_label("support").select_option("causal")
    page.get_by_text("The server is gone.").wait_for()
    assert page.locator(".becomes strong").is_visible(), "what was there stays"
    page.context.set_offline(False)
    page.get_by_text("The server is back.").wait_for()
    page.get_by_text("support=Causal()").wait_for()


def test_a_server_that_was_started_anew_wants_its_new_address(
    browser: Any, opened: Opened, tmp_path: Any
) -> None:
    other = Lab(tmp_path)
    other.start()
    page = opened("lab", at=other)
    page.get_by_text("Nothing has run here yet.").wait_for()
    other.stop()
    page.get_by_role("link", name=TITLES["pca"], exact=True).click()
    page.get_by_text("The server is gone.").wait_for()
    other.start()
    page.get_by_text("The server was started anew.").wait_for()
    page.goto(other.address)
    page.get_by_text("Nothing has run here yet.").wait_for()
    other.stop()


def test_long_words_do_not_push_the_page_sideways(opened: Opened) -> None:
    page = opened("lab", width=390)
    page.locator(".experiment").first.wait_for()
    long = instead({"run": RUN, **OTHERS}, "endless" * 400)
    for view, fields in long.items():
        show(page, view, {"kind": view, "version": 1, **fields})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, view
