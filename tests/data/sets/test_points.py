"""Points from a CSV: which columns are used, where the labels are, and what is said of it."""

from pathlib import Path

import pytest
import torch

from regard.data.sets.points import read_points
from regard.errors import RegardError

FLOWERS = "id,length,width,species,note\n1,5.1,3.5,setosa,a\n2,4.9,?,setosa,b\n3,6.3,3.3,virginica,c\n4,5.8,2.7,virginica,d\n5,5,3,setosa,e\n"


@pytest.fixture
def flowers(tmp_path: Path) -> Path:
    (tmp_path / "flowers.csv").write_text(FLOWERS)
    return tmp_path / "flowers.csv"


def test_of_many_columns_the_first_are_named(tmp_path: Path) -> None:
    rows = ["\t".join(f"{row * column + 0.5}" for column in range(1, 31)) for row in range(1, 5)]
    (tmp_path / "wide.tsv").write_text("\n".join(rows))
    assert (
        "Columns: column 1, column 2, column 3, column 4, column 5, column 6, column 7, column 8 and 22 more. "
        in read_points(tmp_path / "wide.tsv").said
    )


def test_numbers_are_used_labels_are_found_and_the_rest_is_named(flowers: Path) -> None:
    found = read_points(flowers)
    assert found.columns == ("length", "width") and found.classes == ("setosa", "virginica")
    assert torch.equal(found.values[0], torch.tensor([5.1, 3.5], dtype=torch.float64))
    assert found.labels is not None and found.labels.tolist() == [0, 1, 1, 0]
    assert found.said == (
        "The points are your own: flowers.csv, UTF-8 with commas, 4 of 5 rows (1 lack a value). Columns: length, width. "
        "Labels from 'species': setosa 2, virginica 2. Not used: 'id' (counts the rows), 'note' (not numbers)."
    )


def test_columns_and_labels_may_be_named_or_numbered(flowers: Path) -> None:
    found = read_points(flowers, columns=("width", "2"), label="note")
    assert found.columns == ("width", "length") and found.classes == ("a", "c", "d", "e")


def test_a_class_of_whole_numbers_is_known_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,target\n" + "".join(f"{one / 7},{one % 2}\n" for one in range(8)))
    found = read_points(tmp_path / "t.csv")
    assert found.columns == ("x",) and found.classes == ("0", "1")
    (tmp_path / "u.csv").write_text("x,target\n" + "".join(f"{one / 7},{one / 3}\n" for one in range(8)))
    assert read_points(tmp_path / "u.csv").columns == ("x", "target")


def test_columns_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,same,seldom\n1,4,\n2,4,\n3,4,1\n")
    found = read_points(tmp_path / "t.csv")
    assert found.columns == ("x",) and found.said.endswith(
        "Not used: 'same' (always 4), 'seldom' (mostly empty)."
    )


@pytest.mark.parametrize(
    ("content", "words", "message"),
    [
        ("x,y\n1,2\n", {}, "there are too few points\n  got: 1 whole rows of 1 in t.csv, columns x, y\n  fix: name a file that has 2 or more"),
        ("x,y\nNaN,2\n3,NaN\n", {}, "there are too few points\n  got: 0 whole rows of 2 in t.csv, columns x, y\n  fix: name a file that has 2 or more"),
        ("name,where\na,b\nc,d\n", {}, "the table has no column of numbers to use\n  got: t.csv with the columns 'name' (not numbers), 'where' (not numbers)\n  fix: name a file that has one"),
        ("x,y\n1,2\n1,2\n1,2\n", {}, "the table has no column of numbers to use\n  got: t.csv with the columns 'x' (always 1), 'y' (always 2)\n  fix: name a file that has one"),
        ("x,y\n1,2\n3,four\n", {"columns": ("y",)}, "this column is not of numbers\n  got: 'four' in row 2 in 'y'\n  fix: choose of x"),
        ("höhe;breite\n150,76;1\n160,5;2\nabc;3\n", {"columns": ("höhe", "breite")}, "this column is not of numbers\n  got: 'abc' in row 3 in 'höhe'\n  fix: mend that row, or choose of breite"),
        ("x,y\n1,2\n?,3\n3,oops\n?,5\n", {"least": 3}, "there are too few points\n  got: 2 whole rows of 4 in t.csv, columns x; not used: 'y' ('oops' in row 3 is no number)\n  fix: name a file that has 3 or more"),
        ("x,y\n1,2\n3,4\n", {"columns": ("x", "1")}, "a column is named twice\n  got: x, 1\n  fix: name each of them once"),
        ("width,y\n1,2\n3,4\n", {"columns": ("widht",)}, "no column of that name\n  got: 'widht' in t.csv\n  fix: did you mean 'width'?"),
        ("x,y\n1,2\n3,4\n", {"label": "colour"}, "no column of that name\n  got: 'colour' in t.csv\n  fix: the columns are x, y"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_told(tmp_path: Path, content: str, words: dict, message: str) -> None:
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(RegardError) as error:
        read_points(tmp_path / "t.csv", **words)
    assert str(error.value) == message
