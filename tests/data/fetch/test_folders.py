"""Where data lies: what a person names comes first, and each platform has its place for caches."""

from pathlib import Path

import pytest

from regard.data.fetch.folders import cache_folder, given_folder
from regard.errors import RegardError


def test_the_person_names_the_cache_before_any_platform_does() -> None:
    assert cache_folder({"REGARD_CACHE": "/mine", "XDG_CACHE_HOME": "/theirs"}, "linux") == Path("/mine")


@pytest.mark.parametrize(
    ("platform", "environment", "place"),
    [
        ("linux", {"XDG_CACHE_HOME": "/caches"}, Path("/caches/regard")),
        ("linux", {"XDG_CACHE_HOME": "relative"}, Path.home() / ".cache/regard"),
        ("linux", {}, Path.home() / ".cache/regard"),
        ("darwin", {"XDG_CACHE_HOME": "/caches"}, Path.home() / "Library/Caches/regard"),
        ("win32", {"LOCALAPPDATA": "/local"}, Path("/local/regard")),
        ("win32", {}, Path.home() / "AppData/Local/regard"),
    ],
)
def test_each_platform_has_its_place(platform: str, environment: dict[str, str], place: Path) -> None:
    assert cache_folder(environment, platform) == place


def test_a_tilde_is_the_home_folder() -> None:
    assert cache_folder({"REGARD_CACHE": "~/mine"}) == Path.home() / "mine"


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(RegardError) as raised:
        cache_folder({}, "linux")
    assert str(raised.value) == (
        "no folder for downloads\n"
        "  got: a user without a home folder\n"
        "  fix: set REGARD_CACHE to a folder you can write to"
    )


def test_the_given_folder_must_be_one(tmp_path: Path) -> None:
    assert given_folder({"REGARD_DATA": str(tmp_path)}) == tmp_path
    assert given_folder({"REGARD_DATA": ""}) is None
    with pytest.raises(RegardError) as raised:
        given_folder({"REGARD_DATA": "/no/such/folder"})
    assert str(raised.value) == (
        "REGARD_DATA names no folder\n"
        "  got: '/no/such/folder'\n"
        "  fix: set it to a folder that holds data, or unset it"
    )
