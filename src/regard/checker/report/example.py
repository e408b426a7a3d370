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
    q, k, v = rng.standard_normal((3, 2, TOKENS, WIDTH))
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
    a = np.array([[0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 0], [0, 0, 1, 0]], dtype=float)
    case = Case(name="", inputs={"x": rng.standard_normal((4, 3)), "adjacency": a})
    if name == "gcn-layer":
        weights = {"w": rng.standard_normal((3, 4)), "bias": np.full(4, 0.1)}
        return case, WeightMap(weights=weights, facts={"prepared": False})
    weights = {
        "w": rng.standard_normal((3, 2, 3)),
        "bw": np.zeros((2, 3)),
        "ba": np.zeros(()),
        "bias": np.full(6, 0.1),
    }
    weights |= {"target": rng.standard_normal((2, 3)), "source": rng.standard_normal((2, 3))}
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


def compared(contract: Contract, mistake: Mistake) -> Example | None:
    """Two small matrices: attention where the mistake shows there, else what comes out."""
    for (case, frame), steps in product(examples(contract), mistake.forms):
        if contract.picture:
            try:
                right, wrong = (contract.picture(case, frame, taken) for taken in ({}, steps))
            except (ValueError, IndexError, KeyError):
                right = wrong = np.zeros((1, 1))
            if right.shape == wrong.shape and not np.allclose(right, wrong, equal_nan=True):
                return Example("weights of one head, a row for each that listens", right, wrong, weights=True)
        right, wrong = computed(contract, case, frame, {}), computed(contract, case, frame, steps)
        if right is not None and wrong is not None and not _same(right, wrong):
            return Example("what comes out of one small example", _rows(right), _rows(wrong), weights=False)
    return None


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


def _rows(values: np.ndarray) -> np.ndarray:
    rows = values.reshape(-1, values.shape[-1]) if values.ndim > 1 else values[:, None]
    return rows[:MOST, :MOST]


def _numbers(rows: np.ndarray) -> list[str]:
    return [" ".join(f"{number:7.3f}" for number in row) for row in rows]


def _beside(right: list[str], wrong: list[str]) -> Iterator[str]:
    wide = max(5, *(len(line) for line in right))
    yield f"    {'right':<{wide}}   with the mistake"
    for i in range(max(len(right), len(wrong))):
        one, two = (lines[i] if i < len(lines) else "" for lines in (right, wrong))
        yield f"    {one:<{wide}}   {two}"
