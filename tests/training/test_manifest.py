"""A manifest is what was written, or it is damaged; one of another version is refused kindly."""

from dataclasses import replace
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.files import Damaged, OtherFormat
from regard.training import manifest
from regard.training.manifest import CHECKPOINT, Manifest

SAMPLE = Manifest({"step": 7, "rate": 0.1, "name": "größer"}, 1.25, 1000, "ab" * 32)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "page.json"
    for metric in (1.25, None):
        written = Manifest(SAMPLE.facts, metric, SAMPLE.size, SAMPLE.digest)
        file.write_text(written.page())
        assert Manifest.read(file) == written


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.parametrize("version", [0, 1, 3, 99])
def test_another_version_is_refused_kindly(tmp_path: Path, version: int, monkeypatch) -> None:
    file = tmp_path / "page.json"
    with monkeypatch.context() as patch:
        patch.setattr(manifest, "CHECKPOINT", replace(CHECKPOINT, version=version))
        file.write_text(SAMPLE.page())
    with pytest.raises(RegardError) as caught:
        Manifest.read(file)
    age = "a newer" if version > 2 else "an older"
    assert str(caught.value) == (
        f"this checkpoint was written by {age} version of regard\n"
        f"  got: {file}: format {version}, this version reads 2\n"
        "  fix: go on with the version that wrote it, or start anew"
    )


def test_a_sealed_page_with_a_strange_hash_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / "page.json"
    file.write_text(Manifest({}, None, 1, "../../../secret").page())
    with pytest.raises(Damaged, match="has no hash"):
        Manifest.read(file)


def test_the_first_format_is_refused_as_an_older_one() -> None:
    """A page of format 1 as it was first written: whoever changes the format keeps refusing it kindly."""
    file = Path(__file__).with_name("format-1.json")
    with pytest.raises(OtherFormat, match=r"an older version of regard\n.*format 1, this version reads 2"):
        Manifest.read(file)
