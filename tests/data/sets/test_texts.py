"""Several texts at once: files, folders, known names, and what is none of them."""

import gzip
from pathlib import Path

import pytest

from regard.data.sets.texts import find_texts, load_texts
from regard.errors import RegardError


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    (folder / "more").mkdir(parents=True)
    (folder / "b.txt").write_text("Ἄνδρα μοι ἔννεπε", encoding="utf-8")
    (folder / "a.txt.gz").write_bytes(gzip.compress("Жили-были".encode(), mtime=0))
    (folder / "more" / "c.md").write_text("道可道", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    (folder / "empty.txt").write_text("")
    (folder / ".hidden").write_text("secret")
    return folder


def test_a_folder_is_its_texts_in_order_of_name_and_says_what_it_passed_over(shelf: Path) -> None:
    found = find_texts([str(shelf)])
    assert [Path(one).name for one in found.sources] == ["a.txt.gz", "b.txt", "c.md"]
    assert found.passed == ("empty.txt", "picture.png")
    assert [one.characters for one in load_texts(found.sources)] == [
        "Жили-были",
        "Ἄνδρα μοι ἔννεπε",
        "道可道",
    ]


def test_sources_are_whole_paths_or_known_names(shelf: Path, monkeypatch) -> None:
    monkeypatch.chdir(shelf)
    assert find_texts(["b.txt", "grimm"]).sources == (str(shelf / "b.txt"), "grimm")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "there is no text\n  got: no name\n  fix: name a text file, or a folder of them"),
        (["nowhere.txt"], "no such text\n  got: 'nowhere.txt'\n  fix: name a text file, a folder of them, or a known text"),
        ([""], "no such text\n  got: ''\n  fix: name a text file, a folder of them, or a known text"),
        (["tiny_shakespeare"], "no such text\n  got: 'tiny_shakespeare'\n  fix: did you mean 'tiny-shakespeare'?"),
        (["bare"], "no text in that folder\n  got: 'bare' with 1 file that is none\n  fix: name a folder that holds texts in UTF-8"),
    ],
)  # fmt: skip
def test_what_is_no_text_is_told_in_three_lines(
    tmp_path: Path, monkeypatch, names: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bare").mkdir()
    Path("bare/empty.txt").write_text(" ")
    with pytest.raises(RegardError) as caught:
        find_texts(names)
    assert str(caught.value) == message


def test_a_text_that_is_named_twice_is_told(shelf: Path) -> None:
    with pytest.raises(RegardError, match="a text is named twice"):
        find_texts([str(shelf / "b.txt"), str(shelf)])
