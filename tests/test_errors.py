"""Three lines for people, and the nearest name."""

import pickle
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import RegardError, Uninstalled, nearest, package


def test_an_error_is_three_lines_and_a_value_error() -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the exact text follows
        raise RegardError("no experiment of that name", "'runing_mean'", "did you mean 'running_mean'?")
    assert str(caught.value) == (
        "no experiment of that name\n  got: 'runing_mean'\n  fix: did you mean 'running_mean'?"
    )


@given(st.text(), st.text(), st.text())
def test_an_error_crosses_process_borders_whole(what: str, got: str, fix: str) -> None:
    error = RegardError(what, got, fix)
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is RegardError
    assert (str(twin), twin.what, twin.got, twin.fix) == (str(error), what, got, fix)


def test_a_subclass_stays_itself_across_a_border() -> None:
    assert type(pickle.loads(pickle.dumps(Special("a", "b", "c")))) is Special


class Special(RegardError):
    """An error of its own kind."""


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("dept", "did you mean 'depth'?"),
        ("widht", "did you mean 'width'?"),
        ("depth", "did you mean 'depth'?"),
        ("temperature", "name a setting"),
        ("", "name a setting"),
    ],
)
def test_the_nearest_name_is_offered_only_when_it_is_near(name: str, remedy: str) -> None:
    assert nearest(name, (known for known in ("depth", "width", "heads")), "name a setting") == remedy


def test_without_known_names_there_is_no_guess() -> None:
    assert nearest("depth", [], "there are no settings") == "there are no settings"


def test_a_package_that_is_missing_is_told_in_three_lines_and_is_an_import_error(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "json.tool", None)
    with pytest.raises(ImportError) as caught:
        package("json.tool", "this needs json", "pip install json")
    assert str(caught.value) == "this needs json\n  got: no module 'json'\n  fix: pip install json"
    assert type(pickle.loads(pickle.dumps(caught.value))) is Uninstalled
    assert package("math", "", "").sqrt(4) == 2
