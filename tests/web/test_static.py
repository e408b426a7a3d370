"""The table of files: what has a known ending, and nothing else."""

from pathlib import Path

from regard.web.static import static_files


def test_known_endings_alone_are_served_and_links_are_not(tmp_path: Path) -> None:
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    for name in ("index.html", "assets/app.css", "views.js", "secret.py", ".env", "map.pickle"):
        (folder / name).write_text("x")
    (tmp_path / "outside.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    table = static_files(folder)
    assert set(table) == {"/", "/assets/app.css", "/views.js"}
    assert table["/"].kind == "text/html; charset=utf-8" and table["/"].content == b"x"


def test_no_folder_is_an_empty_table(tmp_path: Path) -> None:
    assert static_files(tmp_path / "none") == {}


def test_the_tag_changes_with_the_content(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("1")
    before = static_files(tmp_path)["/a.js"].tag
    (tmp_path / "a.js").write_text("2")
    assert static_files(tmp_path)["/a.js"].tag != before
