"""A view in a notebook: nothing in the data ends a script or an attribute."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.lab.documents.embed import embedded, script_data

EVIL = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)><!--"


class Reader(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture
def views(tmp_path: Path) -> Path:
    file = tmp_path / "views.js"
    file.write_text("customElements.define('regard-run', class extends HTMLElement {}) // </script>")
    return file


def test_hostile_data_makes_no_element(views: Path) -> None:
    page = embedded("regard-run", lambda: {"text": EVIL}, "<svg></svg>", views)
    ((tag, frame),) = Reader(page).found
    assert (tag, frame["sandbox"]) == ("iframe", "allow-scripts")
    inside = Reader(frame["srcdoc"] or "").found
    assert [tag for tag, _ in inside] == [
        "html", "head", "meta", "meta", "body", "script", "regard-run", "noscript", "svg", "script",
    ]  # fmt: skip
    assert not [one for _, one in inside if "onerror" in one]


def test_without_views_or_with_too_much_the_drawing_stands_alone(tmp_path: Path, views: Path) -> None:
    def refusing() -> dict:
        raise RegardError("so many weights", "9", "less")

    assert embedded("regard-run", dict, "<svg></svg>", tmp_path / "none.js") == "<svg></svg>"
    assert embedded("regard-run", refusing, "<svg></svg>", views) == "<svg></svg>"
    assert embedded("regard-run", lambda: {"a": "x" * 13_000_000}, "<svg></svg>", views) == "<svg></svg>"


def test_data_inside_a_script_is_the_same_json() -> None:
    import json

    given = {"a": EVIL + "\u2028&", "n": float("nan")}
    text = script_data(given)
    assert "<" not in text and "\u2028" not in text
    assert json.loads(text) == {"a": given["a"], "n": "nan"}
