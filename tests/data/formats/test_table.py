"""Tables as people have them: delimiters, headers, encodings, and what is said of files that are none."""

import gzip
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.formats.table import open_table, read_table
from regard.errors import RegardError

ROWS = (("1", "3"), ("2", "4"))


@pytest.mark.parametrize(
    "content",
    [
        b"x,y\n1,2\n3,4\n",
        b"x,y\r\n1,2\r\n3,4",
        b"x,y\r1,2\r3,4\r",
        b"\xef\xbb\xbfx;y\n1;2\n3;4\n",
        b"x\ty\n1\t2\n3\t4\n",
        b"x | y\n1 | 2\n3 | 4\n",
        b"x   y\n  1  2\n 3 4 \n",
        b"# made by hand\nx,y\n\n1,2\n3,4\n\n",
        b"% a comment\nx y\n1 2\n3 4\n",
        b"sep=;\nx;y\n1;2\n3;4\n",
        b'"x","y"\n"1","2"\n3,4\n',
        b"x,y,\n1,2,\n3,4,\n",
        "x,y\n1,2\n3,4\n".encode("utf-16"),
    ],
)
def test_the_same_table_in_many_forms(content: bytes) -> None:
    table = read_table(content, "t.csv")
    assert table.header == ("x", "y")
    assert tuple(tuple(value.strip() for value in column) for column in table.columns) == ROWS


def test_without_a_header_columns_have_numbers() -> None:
    table = read_table(b"1,2\n3,4\n", "t.csv")
    assert table.header == ("column 1", "column 2") and table.columns == ROWS
    assert read_table(b"a b\nb c\n", "edges.txt").rows == 2
    assert read_table(b"source target\na b\nb c\n", "edges.txt").header == ("source", "target")


def test_a_header_may_lack_the_name_of_the_rows_own_column() -> None:
    table = read_table(b"x y\nann 1 2\nbob 3 4\n", "t.txt")
    assert table.header == ("column 1", "x", "y") and table.columns[1:] == ROWS


def test_lines_above_the_table_are_counted() -> None:
    table = read_table(b"Series 17\nof 2020\nx,y,z\n1,2,3\n4,5,6\n7,8,9\n", "t.csv")
    assert table.header == ("x", "y", "z") and table.before == 2


def test_latin_1_is_read_and_said() -> None:
    table = read_table("größe,x\n1,2\n".encode("latin-1"), "t.csv")
    assert table.header[0] == "größe" and table.encoding == "Latin-1"


@pytest.mark.parametrize("missing", ["", "NA", "NaN", "nan", "?", "null", "inf", "-"])
def test_what_is_missing_is_no_number_and_no_word(missing: str) -> None:
    table = read_table(f"x,y\n1,2\n{missing},4\n3,5\n".encode(), "t.csv")
    numbers = table.numbers(0)
    assert numbers is not None and numpy.isnan(numbers).tolist() == [False, True, False]


def test_a_decimal_comma_is_one_where_commas_part_nothing() -> None:
    table = read_table(b"x;y\n1,5;2\n3;4,25\n", "t.csv")
    assert [table.numbers(place).tolist() for place in (0, 1)] == [[1.5, 3.0], [2.0, 4.25]]  # type: ignore[union-attr]


def test_a_packed_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"x,y\n1,2\n3,4\n", mtime=0))
    assert open_table(tmp_path / "t.csv.gz").columns == ROWS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the table is empty\n  got: 0 bytes in t.csv\n  fix: name a file with a row for each point or edge"),
        (b"# nothing\n\n", "the table is empty\n  got: 11 bytes in t.csv\n  fix: name a file with a row for each point or edge"),
        (b"x,y\n1,2\n3\n4,5\n", "the rows of the table are not equally long\n  got: t.csv, row 3: 1 in place of 2: '3'\n  fix: mend that row, or remove it"),
        (b"\x89PNG\r\n\x1a\n", "the file is no table\n  got: t.csv: a PNG picture\n  fix: save the table as CSV and name that"),
        (b"PK\x03\x04abc", "the file is no table\n  got: t.csv: a packed folder, as a workbook of a spreadsheet is\n  fix: save the table as CSV and name that"),
        (b"x,y\n1,\x002\n", "the file is no table\n  got: t.csv: a zero byte at position 6\n  fix: save the table as CSV and name that"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_told(content: bytes, message: str) -> None:
    with pytest.raises(RegardError) as error:
        read_table(content, "t.csv")
    assert str(error.value) == message


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="the file cannot be read"):
        open_table(tmp_path / "none.csv")
    with pytest.raises(RegardError, match="the file cannot be read"):
        open_table(tmp_path / "a\0b.csv")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"x,y\n1,2\n", mtime=0)[:-9])
    with pytest.raises(RegardError, match="the file cannot be read"):
        open_table(tmp_path / "t.csv.gz")


def test_a_packed_table_may_have_the_largest_size_and_no_more(tmp_path: Path, monkeypatch) -> None:
    content, path = b"x,y\n1,2\n3,4\n", tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(content, mtime=0))
    monkeypatch.setattr("regard.data.formats.table.LARGEST", len(content))
    assert open_table(path).columns == ROWS
    monkeypatch.setattr("regard.data.formats.table.LARGEST", len(content) - 1)
    with pytest.raises(RegardError, match="the file is too large"):
        open_table(path)


@given(st.binary(max_size=200))
def test_whatever_bytes_there_are_a_table_or_three_lines_come_of_them(content: bytes) -> None:
    try:
        table = read_table(content, "t.csv")
    except RegardError:
        return
    assert len(table.header) == len(table.columns) and len(set(map(len, table.columns))) == 1
