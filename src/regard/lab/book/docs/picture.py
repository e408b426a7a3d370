"""A picture of a mistake (SVG): the right numbers and the mistaken ones as two grids of coloured cells."""

from collections.abc import Iterator

import numpy as np

from regard.checker.report.example import Example
from regard.lab.book.numerals import typeset

WIDE, HIGH, GAP, HEAD = 52, 26, 44, 22
"Points: a cell, the space between the grids, and the line above them."
STRONGEST = 0.55
"Opacity of the largest number: what is written on it stays readable."


def beside(example: Example) -> str:
    """Both grids; cells of the second that differ from the first are outlined."""
    right, wrong = example.right, example.wrong
    finite = np.abs(np.concatenate([right.ravel(), wrong.ravel()]))
    most = float(finite[np.isfinite(finite)].max(initial=0.0)) or 1.0
    same = (
        np.isclose(right, wrong, equal_nan=True)
        if right.shape == wrong.shape
        else np.ones(wrong.shape, dtype=bool)
    )
    start = right.shape[1] * WIDE + GAP
    width = start + max(wrong.shape[1] * WIDE, 3 * WIDE)
    height = HEAD + max(len(right), len(wrong)) * HIGH + 2
    grids = (
        (right, np.ones(right.shape, dtype=bool), 1, "right"),
        (wrong, same, start, "with the mistake"),
    )
    inside = "".join(piece for grid in grids for piece in _grid(*grid, most))
    return f'<svg viewBox="0 0 {width} {height}" style="max-width: {width}px" class="cells">{inside}</svg>'


def _grid(values: np.ndarray, same: np.ndarray, left: int, title: str, most: float) -> Iterator[str]:
    yield f'<text x="{left}" y="14" class="title">{title}</text>'
    for (row, column), value in np.ndenumerate(values):
        x, y = left + column * WIDE, HEAD + row * HIGH
        share = STRONGEST * abs(value) / most if np.isfinite(value) else 0.0
        fill = f'fill="var(--series-{4 if value < 0 else 1})" fill-opacity="{share:.2f}"'
        yield f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" {fill}/>'
        if not same[row, column]:
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
