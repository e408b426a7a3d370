"""A small picture of a mistake in text: the right answer and the mistaken one, side by side, on one small example."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from regard.checker.contract import Case, Contract, Mistake, WeightMap
from regard.checker.family import computed
from regard.checker.report.behaviour import BEHAVIOUR
from regard.checker.report.terminal import shade

TOKENS, WIDTH, HEADS = 4, 6, 2
MOST = 6
"Rows and columns that are shown."


def example(contract: Contract) -> tuple[Case, WeightMap]:
    """A case and weights of the contract, small enough to be read."""
    rng = np.random.default_rng(3)
    makers = {
        "scaled-dot-product": _function,
        "causal-attention": _layer,
        "multi-head-attention": _layer,
        "rotary": _rotary,
        "rms-norm": _norm,
        "layer-norm": _norm,
        "gat-layer": _graph,
        "gcn-layer": _graph,
        "gaussian-mixture": _mixture,
    }
    return makers[contract.name](contract.name, rng)


def examples(contract: Contract) -> list[tuple[Case, WeightMap]]:
    """The example, and one of other sizes where some mistakes need them: fewer key heads, values as wide as keys."""
    case, frame = example(contract)
    if "wk" in frame.weights:
        fewer = {name: frame[name][..., : WIDTH // 2] for name in ("wk", "bk", "wv", "bv")}
        return [
            (case, frame),
            (case, WeightMap(weights=frame.weights | fewer, facts=frame.facts | {"heads": 6})),
        ]
    if contract.name == "scaled-dot-product":
        inputs = case.inputs | {"value": np.random.default_rng(5).standard_normal(case["key"].shape)}
        return [(case, frame), (Case(name="", inputs=inputs, facts=case.facts), frame)]
    return [(case, frame)]


def _function(name: str, rng: np.random.Generator) -> tuple[Case, WeightMap]:
    q, k, v = rng.standard_normal((3, 2, HEADS, TOKENS, WIDTH))
    mask = np.tril(np.ones((TOKENS, TOKENS), bool))
    inputs = {"query": q, "key": k, "value": v[..., :5], "mask": mask}
    return Case(name="", inputs=inputs, facts={"masked": True}), WeightMap(weights={})


def _layer(name: str, rng: np.random.Generator) -> tuple[Case, WeightMap]:
    weights = {f"w{letter}": rng.standard_normal((WIDTH, WIDTH)) * 0.35 for letter in "qkvo"}
    weights |= {f"b{letter}": rng.standard_normal(WIDTH) * 0.3 for letter in "qkvo"}
    facts = {"heads": HEADS, "causal": name == "causal-attention"}
    x = rng.standard_normal((2, TOKENS, WIDTH))
    other = x if name == "causal-attention" else rng.standard_normal((2, TOKENS, WIDTH))
    mask = np.ones((2, 1, 1, TOKENS), bool)
    mask[0, ..., -1] = mask[1, ..., 0] = False
    inputs = {"query": x, "key": other, "value": other, "mask": mask}
    return Case(name="", inputs=inputs, facts={"masked": True}), WeightMap(weights=weights, facts=facts)


def _rotary(name: str, rng: np.random.Generator) -> tuple[Case, WeightMap]:
    x = np.ones((2, 1, 1, TOKENS, WIDTH)) * np.arange(1, WIDTH + 1)
    frame = WeightMap(weights={}, facts={"axis": -2, "base": 10000.0})
    return Case(name="", inputs={"x": x}, facts={"offset": 2}), frame


def _norm(name: str, rng: np.random.Generator) -> tuple[Case, WeightMap]:
    x = (rng.standard_normal((2, TOKENS, WIDTH)) + 1) * np.array([1.0, 3.0, 0.0, 10.0])[:, None]
    weights = {"gain": np.linspace(0.5, 1.5, WIDTH), "bias": np.full(WIDTH, 0.1 * (name == "layer-norm"))}
    return Case(name="", inputs={"x": x}), WeightMap(weights=weights, facts={"eps": 1e-5})


def _graph(name: str, rng: np.random.Generator) -> tuple[Case, WeightMap]:
    if name == "gcn-layer":
        a = np.array([[0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 0], [0, 0, 1, 0]], dtype=float)
        case = Case(name="", inputs={"x": rng.standard_normal((4, 3)), "adjacency": a})
        weights = {"w": rng.standard_normal((3, 4)), "bias": np.full(4, 0.1)}
        return case, WeightMap(weights=weights, facts={"prepared": False})
    # Several neighbours each, and moderate scores on both sides of zero: every mistake of a score shows in the weights.
    rng = np.random.default_rng(87)
    a = np.array([[1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 0, 1], [1, 1, 0, 1]], dtype=float)
    case = Case(name="", inputs={"x": rng.standard_normal((4, 3)), "adjacency": a})
    weights = {"w": 0.8 * rng.standard_normal((3, 2, 3)), "bw": np.zeros((2, 3))}
    weights |= {name: 0.8 * rng.standard_normal((2, 3)) for name in ("target", "source")}
    weights |= {"ba": np.zeros(()), "bias": np.full(6, 0.1)}
    return case, WeightMap(weights=weights, facts={"heads": 2})


def _mixture(name: str, rng: np.random.Generator) -> tuple[Case, WeightMap]:
    weights = {"logits": np.array([1.0, 0.0]), "means": np.array([[-1.0, 0.0], [1.0, 1.0]])}
    weights["log_variances"] = np.array([[-1.0, 0.5], [0.3, 0.9]])
    points = np.array([[-1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [4.0, 4.0]])
    return Case(name="", inputs={"x": points}), WeightMap(weights=weights)


@dataclass(frozen=True)
class Example:
    """What is right and what the mistake makes of it, on one small example."""

    title: str
    right: np.ndarray
    wrong: np.ndarray
    weights: bool
    "Whether these are weights of attention, and not what a layer gives."

    @property
    def differs(self) -> np.ndarray:
        """Of each cell, whether the mistake shows in it as printed; of none where even the shapes differ."""
        if self.right.shape != self.wrong.shape:
            return np.zeros(self.wrong.shape, bool)
        with np.errstate(invalid="ignore"):
            return ~np.isclose(np.round(self.right, 2), np.round(self.wrong, 2), equal_nan=True)


PICTURED = {
    "gat-layer": "weights of one head, a row for each node that listens",
    "gcn-layer": "the matrix that multiplies x W, a row for each node that listens",
}
GIVEN = {
    "rotary": "what becomes of the numbers 1 to 6; the first row is position 2",
    "gaussian-mixture": "log p(x) of four points, a row for each",
    "gcn-layer": "what comes out of one small graph, a row for each node",
    "gat-layer": "what comes out of one small graph, a row for each node",
}
"What is drawn, by the contract: the matrix of its picture, and what comes out."


def compared(contract: Contract, mistake: Mistake) -> Example | None:
    """Two small matrices: attention where the mistake shows there, else what comes out; as far as two decimals show it."""
    found = list(_pairs(contract, mistake))
    told = (one for one in found if one.right.shape != one.wrong.shape or one.differs.any())
    return next(told, found[0] if found else None)


def _pairs(contract: Contract, mistake: Mistake) -> Iterator[Example]:
    """What is right and what is not, in every program of the mistake and every example, where they differ at all."""
    for (case, frame), steps in product(examples(contract), mistake.forms):
        # A sum that is no product with a matrix has none that could be drawn.
        if contract.picture and not (contract.name == "gcn-layer" and "spread" in steps):
            try:
                right, wrong = (contract.picture(case, frame, taken) for taken in ({}, steps))
            except (ValueError, IndexError, KeyError):
                right = wrong = np.zeros((1, 1))
            if right.shape == wrong.shape and not np.allclose(right, wrong, equal_nan=True):
                title = PICTURED.get(contract.name, "weights of one head, a row for each query")
                yield Example(title, right, wrong, weights=True)
        right, wrong = computed(contract, case, frame, {}), computed(contract, case, frame, steps)
        if right is not None and wrong is not None and not _same(right, wrong):
            title = GIVEN.get(contract.name, "what comes out of one small example")
            yield Example(title, *_rows(right, wrong), weights=False)


def drawn(contract: Contract, mistake: Mistake) -> Iterator[str]:
    """The example in text: attention as shades, else numbers."""
    if lines := BEHAVIOUR.get(mistake.slug):
        yield from ("what is seen", *(f"    {line}" for line in lines))
        return
    found = compared(contract, mistake)
    if found is None:
        return
    if not found.weights:
        yield found.title
        yield from _beside(_numbers(found.right), _numbers(found.wrong))
        return
    most = float(np.nanmax(found.right)) or 1.0
    yield f"{found.title}; darker is more"
    yield from _beside(*([shade(row.tolist(), most) for row in one] for one in (found.right, found.wrong)))


def _same(one: np.ndarray, two: np.ndarray) -> bool:
    return one.shape == two.shape and np.allclose(one, two, equal_nan=True)


def _rows(right: np.ndarray, wrong: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first rows of both, from where they begin to differ: the sample, or the half, in which they do."""
    one, two = (
        values.reshape(-1, values.shape[-1]) if values.ndim > 1 else values[:, None]
        for values in (right, wrong)
    )
    if right.ndim > 2 and right.shape == wrong.shape:
        count = right.shape[-2]
        moved = ~np.isclose(one, two, equal_nan=True).all(axis=1)
        first = int(np.flatnonzero(moved)[0]) // count * count
        return one[first : first + count][:MOST, :MOST], two[first : first + count][:MOST, :MOST]
    return one[:MOST, :MOST], two[:MOST, :MOST]


def _numbers(rows: np.ndarray) -> list[str]:
    return [" ".join(f"{number:7.3f}" for number in row) for row in rows]


def _beside(right: list[str], wrong: list[str]) -> Iterator[str]:
    wide = max(5, *(len(line) for line in right))
    yield f"    {'right':<{wide}}   with the mistake"
    for i in range(max(len(right), len(wrong))):
        one, two = (lines[i] if i < len(lines) else "" for lines in (right, wrong))
        yield f"    {one:<{wide}}   {two}"
