"""Settings as a form, and back as words of the command line."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest

from regard.errors import RegardError
from regard.lab.documents.form import experiment_document, form, words
from regard.lab.ranges import OwnPath, Range
from regard.lab.settings import change


@dataclass(frozen=True, kw_only=True)
class Inner:
    depth: int = 2
    "How deep."


@dataclass(frozen=True, kw_only=True)
class Settings:
    rate: Annotated[float, Range(above=0, high=10)] = 0.5
    "How fast."
    seeds: int = 3
    "How often."
    kind: Literal["a", "b"] = "a"
    "Which."
    sizes: tuple[int, ...] = (1, 2)
    "How large."
    limit: int | None = None
    "How many."
    on: bool = True
    "Whether."
    label: str = ""
    "What it is called."
    inner: Inner = Inner()
    data: Annotated[Path | None, OwnPath("file")] = None
    "A file of one's own."


def fields() -> dict:
    return {one["name"]: one for one in form(Settings())}


def test_each_field_has_its_type_range_and_sentence() -> None:
    found = fields()
    assert {name: one["type"] for name, one in found.items()} == {
        "rate": "number", "seeds": "whole", "kind": "choice", "sizes": "list of whole", "limit": "whole",
        "on": "switch", "label": "text", "inner.depth": "whole",
    }  # fmt: skip
    assert (found["rate"]["low"], found["rate"]["high"], found["rate"]["doc"]) == (0, 10, "How fast.")
    assert (found["seeds"]["low"], found["seeds"]["high"]) == (1, 3000)
    assert found["kind"]["choices"] == ["a", "b"] and found["inner.depth"]["doc"] == "How deep."
    assert found["limit"]["optional"] and not found["seeds"]["optional"]


def test_what_was_changed_comes_back_as_the_same_settings() -> None:
    given = {
        "rate": 0.25,
        "kind": "b",
        "sizes": [4, 5],
        "limit": 7,
        "on": False,
        "label": "so",
        "inner.depth": 3,
        "seeds": 3,
    }
    said = words(form(Settings()), given)
    assert "seeds=3" not in said
    assert change(Settings(), said) == Settings(
        rate=0.25, kind="b", sizes=(4, 5), limit=7, on=False, label="so", inner=Inner(depth=3)
    )
    assert words(form(Settings(limit=5)), {"limit": None}) == ["limit=none"]


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"data": "/etc/passwd"}, "no such setting in the browser"),
        ({"nothing": 1}, "no such setting in the browser"),
        ({"label": "/etc/passwd"}, "the setting 'label' takes a plain word here"),
        ({"label": "..\\secret"}, "the setting 'label' takes a plain word here"),
        ({"label": "x" * 201}, "the setting 'label' takes a plain word here"),
        ({"label": "a,b"}, "the setting 'label' takes a plain word here"),
        ({"rate": {"deep": 1}}, "the setting 'rate' is of another type"),
        ({"rate": float("nan")}, "the setting 'rate' is of another type"),
    ],
)
def test_no_path_and_nothing_odd_passes(given: dict, what: str) -> None:
    with pytest.raises(RegardError) as error:
        words(form(Settings()), given)
    assert error.value.what == what


def test_a_text_that_names_a_file_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes").touch()
    with pytest.raises(RegardError, match="plain word"):
        words(form(Settings()), {"label": "notes"})


def test_an_experiment_has_claims_and_presets(experiment) -> None:
    document = experiment_document(experiment)
    assert document["claims"][0]["band"] == "1.4 to 1.6"
    assert set(document["presets"]) == {"quick", "full"}
    assert {one["name"] for one in document["presets"]["full"]} == {"height", "seeds", "inner.depth"}
