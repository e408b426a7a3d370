import json

import pytest

from regard.errors import RegardError
from regard.lab.book.site import output
from regard.lab.book.site.output import MANIFEST, require_place, write_book

FIRST = {"index.html": b"<title>The lab book</title>", "experiments/a.html": b"a", "experiments/b.html": b"b"}


def files(place):
    return {one.relative_to(place).as_posix() for one in place.rglob("*") if one.is_file()}


def test_a_second_book_takes_the_place_of_the_first(tmp_path) -> None:
    write_book(tmp_path, FIRST)
    (tmp_path / "notes.txt").write_text("mine")
    write_book(tmp_path, {"index.html": b"<title>The lab book</title>2", "courses/c.html": b"c"})
    assert files(tmp_path) == {"index.html", "courses/c.html", "notes.txt", MANIFEST}
    assert not (tmp_path / "experiments").exists()


def test_what_is_unchanged_is_not_written_again(tmp_path) -> None:
    write_book(tmp_path, FIRST)
    before = (tmp_path / "experiments/a.html").stat().st_mtime_ns
    write_book(tmp_path, FIRST | {"experiments/b.html": b"other"})
    assert (tmp_path / "experiments/a.html").stat().st_mtime_ns == before
    assert (tmp_path / "experiments/b.html").read_bytes() == b"other"


def test_nothing_that_a_book_did_not_write_is_overwritten(tmp_path) -> None:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/b.html").write_text("mine")
    with pytest.raises(RegardError, match="this page is not a book of regard"):
        write_book(tmp_path, FIRST)
    assert (
        files(tmp_path) == {"experiments/b.html"} and (tmp_path / "experiments/b.html").read_text() == "mine"
    )


def test_a_page_that_a_person_changed_is_neither_overwritten_nor_removed(tmp_path) -> None:
    write_book(tmp_path, FIRST)
    (tmp_path / "experiments/a.html").write_text("changed")
    with pytest.raises(RegardError, match="this page was changed since the book wrote it"):
        require_place(tmp_path, FIRST)
    write_book(tmp_path, {"index.html": FIRST["index.html"]})
    assert files(tmp_path) == {"index.html", "experiments/a.html", MANIFEST}


@pytest.mark.parametrize("fails_at", [1, 2, 3, 4])
def test_after_a_crash_at_any_file_the_next_book_is_whole(tmp_path, monkeypatch, fails_at) -> None:
    write_book(tmp_path, FIRST)
    second = {path: content + b"2" for path, content in FIRST.items()}
    count, real = [0], output.write

    def crash(path, content):
        count[0] += 1
        if count[0] > fails_at:
            raise KeyboardInterrupt
        real(path, content)

    monkeypatch.setattr(output, "write", crash)
    with pytest.raises(KeyboardInterrupt):
        write_book(tmp_path, second)
    for path, content in FIRST.items():
        assert (tmp_path / path).read_bytes() in (content, second[path])
    monkeypatch.setattr(output, "write", real)
    write_book(tmp_path, second)
    assert {path: (tmp_path / path).read_bytes() for path in second} == second


def test_a_book_of_an_earlier_version_without_a_manifest_is_known_by_its_title(tmp_path) -> None:
    (tmp_path / "index.html").write_text("<title>The lab book · regard</title>")
    require_place(tmp_path)
    (tmp_path / "index.html").write_text("<title>Mine</title>")
    with pytest.raises(RegardError, match="this page is not a book of regard"):
        require_place(tmp_path)


def test_a_file_is_no_place_for_a_book(tmp_path) -> None:
    (tmp_path / "book").write_text("")
    with pytest.raises(RegardError, match="a book is written into a folder"):
        require_place(tmp_path / "book")


def test_a_manifest_that_names_files_outside_the_folder_removes_nothing_there(tmp_path) -> None:
    place, other = tmp_path / "book", tmp_path / "other.html"
    write_book(place, FIRST)
    other.write_bytes(b"a")
    page = output.FORMAT.read(place / MANIFEST)
    page["files"]["../other.html"] = [output._digest(b"a")]
    (place / MANIFEST).write_text(output.FORMAT.page(page))
    assert "../other.html" in json.loads((place / MANIFEST).read_text())["body"]["files"]
    write_book(place, {"index.html": FIRST["index.html"]})
    assert other.read_bytes() == b"a"
