"""Tables at every width: no name is cut, sentences are wrapped, and a pipe gets whole rows."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from regard.lab.tables import Column, show_table

NAME = "a-name-that-nobody-would-want-to-see-cut"
SENTENCE = "Nine words, each of them short, make this sentence."
COLUMNS = (Column("name"), Column("state"), Column("empty"), Column("question", wraps=True))
ROWS = [
    ("chapter",),
    (NAME, Text("held", style="green"), "", SENTENCE),
    ("short", Text("failed", style="red"), "", "Why?"),
]


def printed(width: int, *, terminal: bool = True, rows=ROWS, columns=COLUMNS) -> list[str]:
    file = io.StringIO()
    show_table(Console(file=file, width=width, force_terminal=terminal, color_system=None), columns, rows)
    return file.getvalue().splitlines()


def test_a_pipe_gets_one_whole_line_for_each_row_whatever_the_width() -> None:
    for width in (10, 40, 80):
        assert printed(width, terminal=False) == [
            f"name{' ' * 38}state   question",
            "chapter",
            f"{NAME}  held    {SENTENCE}",
            f"short{' ' * 37}failed  Why?",
        ]


def test_sentences_are_wrapped_in_their_own_column() -> None:
    head, chapter, *lines = printed(80)
    assert head == f"name{' ' * 38}state   question" and chapter == "chapter"
    assert lines[0].startswith(f"{NAME}  held    Nine words,") and max(map(len, lines)) <= 80
    assert [line[:50] for line in lines[1:-1]] == [" " * 50] * len(lines[1:-1])
    assert " ".join(line[50:].strip() for line in lines[:-1]) == SENTENCE


@pytest.mark.parametrize("width", [40, 20])
def test_where_columns_do_not_fit_each_row_is_a_block_and_its_name_whole(width: int) -> None:
    lines = printed(width)
    assert lines[:3] == ["chapter", NAME, "  state held"] and lines[-3:] == [
        "short",
        "  state failed",
        "  question: Why?",
    ]
    assert " ".join(line.strip() for line in lines[3:-3]) == f"question: {SENTENCE}"
    assert all(len(line) <= width for line in lines if line != NAME)


def test_a_word_longer_than_the_terminal_stays_whole_in_a_block() -> None:
    rows = [("first", f"see {NAME}")]
    lines = printed(24, rows=rows, columns=(Column("what"), Column("where", wraps=True)))
    assert lines[0] == "first" and any(NAME in line for line in lines[1:])


def test_a_column_of_sentences_keeps_its_longest_word_whole() -> None:
    rows = [("one", f"{SENTENCE} {NAME} {SENTENCE}", SENTENCE)]
    columns = (Column("what"), Column("why", wraps=True), Column("how", wraps=True))
    lines = printed(70, rows=rows, columns=columns)
    assert any(NAME in line for line in lines) and max(map(len, lines)) <= 70


def test_what_a_cell_holds_is_no_markup() -> None:
    assert printed(80, rows=[("[red]", "x[1]", "", "")])[1] == "[red]  x[1]"
