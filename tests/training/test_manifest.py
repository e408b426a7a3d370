"""A manifest is what was written, or it is damaged; one of another version is refused kindly."""

import json
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.training import manifest
from regard.training.manifest import FORMAT, Damaged, Manifest, contents

SAMPLE = Manifest({"step": 7, "rate": 0.1, "name": "größer"}, 1.25, 1000, "ab" * 32)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "page.json"
    for metric in (1.25, None):
        written = Manifest(SAMPLE.facts, metric, SAMPLE.size, SAMPLE.digest)
        file.write_text(written.page())
        assert Manifest.read(file) == written


def test_every_changed_character_is_seen_or_means_the_same(tmp_path: Path) -> None:
    file, page = tmp_path / "page.json", SAMPLE.page()
    same = 0
    for at in range(len(page)):
        for other in "0x}\x00 ":
            if page[at] != other:
                file.write_text(page[:at] + other + page[at + 1 :])
                try:
                    assert Manifest.read(file) == SAMPLE
                    same += 1  # one white space for another
                except Damaged:
                    pass
    assert 0 < same < len(page)


@pytest.mark.parametrize("at", range(0, len(SAMPLE.page()), 7))
def test_every_cut_is_seen(tmp_path: Path, at: int) -> None:
    (tmp_path / "page.json").write_text(SAMPLE.page()[:at])
    with pytest.raises(Damaged):
        Manifest.read(tmp_path / "page.json")


@pytest.mark.parametrize("text", ["", "null", "[]", "7", '"a"', "{}", "[" * 100_000, "NaN", "\x00" * 50])
def test_what_is_no_manifest_is_seen(tmp_path: Path, text: str) -> None:
    (tmp_path / "page.json").write_text(text)
    with pytest.raises(Damaged):
        Manifest.read(tmp_path / "page.json")


@pytest.mark.parametrize("version", [0, 2, 99])
def test_another_version_is_refused_kindly(tmp_path: Path, version: int, monkeypatch) -> None:
    file = tmp_path / "page.json"
    monkeypatch.setattr(manifest, "FORMAT", version)
    file.write_text(SAMPLE.page())
    monkeypatch.setattr(manifest, "FORMAT", FORMAT)
    with pytest.raises(RegardError) as caught:
        Manifest.read(file)
    age = "a newer" if version > FORMAT else "an older"
    assert str(caught.value) == (
        f"this checkpoint was written by {age} version of regard\n"
        f"  got: {file}: format {version}, this version reads 1\n"
        "  fix: go on with the version that wrote it, or start anew"
    )


def test_a_sealed_page_with_a_strange_hash_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / "page.json"
    file.write_text(Manifest({}, None, 1, "../../../secret").page())
    with pytest.raises(Damaged, match="has no hash"):
        Manifest.read(file)


def test_the_version_of_today_is_read_for_ever() -> None:
    """A page of format 1 as it was first written: whoever changes the format keeps reading or refuses it."""
    file = Path(__file__).with_name("format-1.json")
    page = Manifest.read(file)
    assert (page.facts["step"], page.metric, page.size) == (7, 1.25, 1000)
    assert json.loads(file.read_text())["format"] == 1


def test_a_file_of_the_wrong_size_is_not_read(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").write_bytes(b"123")
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("it was read"))
    with pytest.raises(Damaged, match="file has 3 bytes, not 4"):
        contents(tmp_path / "file", 4)
