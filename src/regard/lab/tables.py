"""Tables in the terminal: rows that fit its width, and full rows in a pipe; no name is ever cut."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

GAP = 2  # spaces between columns
LEAST = 20  # a column of sentences is not made narrower than this

Cell = str | Text
Row = list[Text]


@dataclass(frozen=True)
class Column:
    """A column that is as wide as its widest cell, unless it holds sentences, which may be wrapped."""

    head: str
    wraps: bool = False


def show_table(console: Console, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
    """Print rows under their heads. A row of one cell is a line of its own; an empty column is left out.

    A terminal that is wide enough gets columns, with sentences wrapped; a narrower one gets a block for each
    row; a pipe gets one line for each row, however long.
    """
    texts = [[cell if isinstance(cell, Text) else Text(cell) for cell in row] for row in rows]
    used = [place for place in range(len(columns)) if not place or any(_at(place, texts))]
    columns = [columns[place] for place in used]
    texts = [[row[place] for place in used] if len(row) > 1 else row for row in texts]
    widths = [
        max([len(column.head), *(cell.cell_len for cell in _at(place, texts))])
        for place, column in enumerate(columns)
    ]
    if console.is_terminal:
        widths = _fitted(columns, texts, widths, console.width)
    lines = _lines(columns, texts, widths, console) if widths else _blocks(columns, texts, console)
    for line in lines:
        line.rstrip()
        console.print(line, soft_wrap=True)


def _at(place: int, rows: Sequence[Row]) -> list[Text]:
    """The cells of a column."""
    return [row[place] for row in rows if len(row) > 1]


def _fitted(columns: Sequence[Column], rows: Sequence[Row], widths: list[int], room: int) -> list[int]:
    """Widths with which the columns fit the room, or none if there are no such widths."""
    fitted = list(widths)
    least = [
        _least(column, _at(place, rows), width)
        for place, (column, width) in enumerate(zip(columns, widths, strict=True))
    ]
    for _ in range(sum(widths) + GAP * (len(widths) - 1) - room):
        spare = [(width, place) for place, width in enumerate(fitted) if width > least[place]]
        if not spare:
            return []
        fitted[max(spare)[1]] -= 1
    return fitted


def _least(column: Column, cells: Sequence[Text], width: int) -> int:
    """The smallest width in which no word of a column is cut."""
    if not column.wraps:
        return width
    words = [len(word) for cell in cells for word in cell.plain.split()]
    return min(width, max([LEAST, len(column.head), *words]))


def _lines(
    columns: Sequence[Column], rows: Sequence[Row], widths: Sequence[int], console: Console
) -> Iterator[Text]:
    """Each row as one line, or as several where sentences are wrapped."""
    for row in ([Text(column.head, style="dim") for column in columns], *rows):
        if len(row) == 1:
            yield row[0]
            continue
        parts = [list(cell.wrap(console, width)) for cell, width in zip(row, widths, strict=True)]
        for depth in range(max(map(len, parts))):
            line = Text()
            for part, width in zip(parts, widths, strict=True):
                piece = part[depth] if depth < len(part) else Text()
                piece.rstrip()
                line.append_text(piece).append(" " * (width - piece.cell_len + GAP))
            yield line


def _blocks(columns: Sequence[Column], rows: Sequence[Row], console: Console) -> Iterator[Text]:
    """Each row as a block: its first cell on a line of its own, below it the others with their heads."""
    for first, *others in rows:
        yield Text.assemble(first, style="bold" if others else "")
        filled = [pair for pair in zip(columns[1:], others, strict=False) if pair[1].plain]
        facts = [_headed(column, cell) for column, cell in filled if not column.wraps]
        sentences = [_headed(column, cell) for column, cell in filled if column.wraps]
        for said in ([Text(" · ", style="dim").join(facts)] if facts else []) + sentences:
            yield from (Text(" " * GAP).append_text(line) for line in _folded(said, console))


def _headed(column: Column, cell: Text) -> Text:
    head = f"{column.head}: " if column.wraps else f"{column.head} "
    return Text.assemble((head, "dim"), cell) if column.head else cell


def _folded(text: Text, console: Console) -> Iterator[Text]:
    """Lines that fit the terminal beside an indent; a word that is longer than that stays whole."""
    longest = max(len(word) for word in text.plain.split())
    yield from text.wrap(console, max(console.width - GAP, longest))
