"""A picture of a mistake (SVG): the right numbers and the mistaken ones as two grids of coloured cells."""

from collections.abc import Iterator
from html import escape

import numpy as np

from regard.checker.report.example import Example
from regard.lab.book.numerals import typeset

WIDE, HIGH, HEAD = 52, 26, 22
"Pixels: a cell, and the line above a grid."
LEAST = 3
"Columns that the line above a grid needs."
STRONGEST = 0.55
"Opacity of the largest number: what is written on it stays readable."


def beside(example: Example, mistake: str = "") -> str:
    """Both grids, each a drawing of its own; cells of the second that differ as printed are outlined.

    Those who hear the page are told what each shows, and of the second what the mistake is.
    """
    right, wrong = example.right, example.wrong
    finite = np.abs(np.concatenate([right.ravel(), wrong.ravel()]))
    most = float(finite[np.isfinite(finite)].max(initial=0.0)) or 1.0
    differs = np.zeros(wrong.shape, dtype=bool)
    if right.shape == wrong.shape:
        differs = np.vectorize(_written)(right) != np.vectorize(_written)(wrong)
    nowhere = np.zeros(right.shape, dtype=bool)
    title = example.title[:1].upper() + example.title[1:]
    labels = (f"{title}: right", f"{title}: with the mistake. {mistake}".rstrip(". "))
    drawings = (
        _grid(right, nowhere, "right", most),
        _grid(wrong, differs, "with the mistake", most),
    )
    named = zip(labels, drawings, strict=True)
    return "".join(
        f'<div role="img" aria-label="{escape(label)}">{drawing}</div>' for label, drawing in named
    )


def _grid(values: np.ndarray, differs: np.ndarray, title: str, most: float) -> str:
    width, height = max(values.shape[1], LEAST) * WIDE + 2, HEAD + len(values) * HIGH + 2
    inside = "".join(_cells(values, differs, title, most))
    return f'<svg viewBox="0 0 {width} {height}" style="width: {width}px" class="cells">{inside}</svg>'


def _cells(values: np.ndarray, differs: np.ndarray, title: str, most: float) -> Iterator[str]:
    yield f'<text x="1" y="14" class="title">{title}</text>'
    for (row, column), value in np.ndenumerate(values):
        x, y = 1 + column * WIDE, HEAD + row * HIGH
        share = STRONGEST * abs(value) / most if np.isfinite(value) else 0.0
        fill = f'fill="var(--series-{4 if value < 0 else 1})" fill-opacity="{share:.2f}"'
        yield f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" {fill}/>'
        if differs[row, column]:
            yield f'<rect x="{x + 1}" y="{y + 1}" width="{WIDE - 2}" height="{HIGH - 2}" class="differs"/>'
        yield f'<text x="{x + WIDE / 2:g}" y="{y + 17}" text-anchor="middle">{_written(float(value))}</text>'


def _written(value: float) -> str:
    """A number of a cell, in five letters or so.

    >>> [_written(one) for one in (0.5, -12.3456, -0.004, float("nan"), float("-inf"), 12345.6)]
    ['0.50', '−12.35', '0.00', 'NaN', '−∞', '12,346']
    """
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return typeset(f"{value:z.2f}" if abs(value) < 1000 else f"{value:,.0f}")
