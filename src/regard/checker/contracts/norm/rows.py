"""Rows that a norm is asked for: of the usual size, small, large, with zeros, of other lengths."""

import numpy as np

from regard.checker.contract import Case
from regard.checker.subject import Subject, larger


def usual_rows(rng: np.random.Generator, width: int, shift: float = 0.7) -> np.ndarray:
    """Rows with a mean that is not zero."""
    return rng.standard_normal((3, 7, width)) + shift


def batch(rng: np.random.Generator, width: int, *, size: float = 1.0, shift: float = 0.7) -> Case:
    """Rows of a size."""
    x = usual_rows(rng, width, shift) * size
    return Case(name=f"rows of size {size:g}", inputs={"x": x})


def cases(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """Rows of the usual size, and rows so small that epsilon matters."""
    sizes = ((3e-3, 0.7), (1.0, 0.7), (2e-6, 0.7), (2.0, -0.4))
    return [batch(rng, subject.facts["width"], size=size, shift=shift) for size, shift in sizes]


def growing(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """More samples and tokens."""
    shapes = [
        (1, 7),
        (3, 1),
        *((b, 7) for b in larger(subject, rng, 4, 14)[:5]),
        *((3, n) for n in larger(subject, rng)),
    ]
    width = subject.facts["width"]
    more = [
        Case(name=f"{b} samples of {n} tokens", inputs={"x": rng.standard_normal((b, n, width)) + 0.7})
        for b, n in (*shapes, (3, width))
    ]
    if subject.facts["axes"] == "last":
        # Other numbers of axes: what does not take them raises, which is no mistake.
        for shape in ((width // 2, width), (2, 3, 5, width)):
            rows = rng.standard_normal(shape) + 0.7
            more.append(Case(name=f"an input of {len(shape)} axes", inputs={"x": rows}))
    return [*more, *unusual(rng, width)]


def unusual(rng: np.random.Generator, width: int) -> list[Case]:
    """Large rows, rows in which some numbers are exactly zero, and rows that do not lie one after the other in memory."""
    calm = usual_rows(rng, width)
    holes = np.where(rng.random(calm.shape) < 0.4, 0.0, calm)
    still = calm.copy()
    still[:, 1], still[:, 3] = 0.0, 0.5
    return [
        Case(name="rows of size 3000", inputs={"x": 3000 * calm}, facts={"breaks": ""}),
        Case(name="rows with zeros", inputs={"x": holes}, facts={"breaks": ""}),
        Case(name="a row of zeros and a row of one number", inputs={"x": still}, facts={"breaks": ""}),
        Case(name="a transposed input", inputs={"x": calm}, facts={"breaks": "", "strided": True}),
    ]


def normal(subject: Subject, rng: np.random.Generator) -> Case:
    """Rows with mean zero and deviation one: nothing is left to divide or take off."""
    case = level(subject, rng)
    x = case["x"] / np.sqrt((case["x"] ** 2).mean(-1, keepdims=True))
    return Case(name="rows of mean 0 and deviation 1", inputs={"x": x})


def level(subject: Subject, rng: np.random.Generator) -> Case:
    """Rows with mean zero."""
    x = usual(subject, rng)["x"]
    return Case(name="rows of mean 0", inputs={"x": x - x.mean(-1, keepdims=True)})


def usual(subject: Subject, rng: np.random.Generator) -> Case:
    """Rows of the usual size."""
    return batch(rng, subject.facts["width"])
