"""A small picture of a mistake in text: the right answer and the mistaken one, side by side, on one small example."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from regard.checker.contract import Case, Contract, Mistake, WeightMap
from regard.checker.family import computed
from regard.checker.report.terminal import shade

TOKENS, WIDTH, HEADS = 4, 6, 2
MOST = 6
"Rows and columns that are shown."
BEHAVIOUR = {
    "dropout-in-eval": (
        "same input, first call   0.42  -1.10   0.73",
        "same input, second call  0.00  -2.20   1.46",
    ),
    "state-between-calls": ("x alone            0.42  -1.10", "x after another y  0.57  -0.88"),
    "input-modified": ("x before the call   1.00  2.00  3.00", "x after the call    0.27  0.53  0.80"),
    "gradient-cut": (
        "x  -->  W  -->  y  -->  loss",
        "x  <-- cut --  y  <--  loss   (what lies left of the cut never learns)",
    ),
    "not-equivariant": ("nodes a b c  give  A B C", "nodes b a c  give  B' A' C'  instead of  B A C"),
    "softmax-unstable": (
        "scores     0      1    100",
        "exp        1    2.7    inf",
        "weights    0      0    NaN",
    ),
    "moments-cancel": (
        "E[x^2]   1000000.06",
        "E[x]^2   1000000.00",
        "float32  1000000.06 - 1000000.00 = 0.06 or 0.00; the variance is 0.01",
    ),
    "across-batch": (
        "right: the tokens of sample 0 look at each other",
        "here:  token 0 of sample 0 looks at token 0 of sample 1",
    ),
    "heads-averaged": (
        "right: | head 0 | head 1 | head 2 |   as wide as all heads",
        "here:  | mean of the three |           as wide as one",
    ),
    "weight-unused": ("right: A x W, as wide as asked for", "here:  A x, as wide as the input"),
    "underflow": ("log p   -800", "p       exp(-800) = 0", "log 0   -inf"),
}
"Mistakes that no single answer shows: drawn by hand."


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


def drawn(contract: Contract, mistake: Mistake) -> Iterator[str]:
    """Two small matrices side by side: attention as shades where the mistake shows there, else the output's numbers."""
    if mistake.slug in BEHAVIOUR:
        yield from ("what is seen", *(f"    {line}" for line in BEHAVIOUR[mistake.slug]))
        return
    for (case, frame), steps in product(examples(contract), mistake.forms):
        if contract.picture:
            try:
                right, wrong = (contract.picture(case, frame, taken) for taken in ({}, steps))
            except (ValueError, IndexError, KeyError):
                right = wrong = np.zeros((1, 1))
            if right.shape == wrong.shape and not np.allclose(right, wrong, equal_nan=True):
                most = float(np.nanmax(right)) or 1.0
                yield "weights of one head, a row for each that listens; darker is more"
                yield from _beside(
                    [shade(row.tolist(), most) for row in right], [shade(row.tolist(), most) for row in wrong]
                )
                return
        right, wrong = computed(contract, case, frame, {}), computed(contract, case, frame, steps)
        if right is None or wrong is None or _same(right, wrong):
            continue
        yield "what comes out of one small example"
        yield from _beside(_numbers(right), _numbers(wrong))
        return


def _same(one: np.ndarray, two: np.ndarray) -> bool:
    return one.shape == two.shape and np.allclose(one, two, equal_nan=True)


def _numbers(values: np.ndarray) -> list[str]:
    rows = values.reshape(-1, values.shape[-1]) if values.ndim > 1 else values[:, None]
    return [" ".join(f"{number:7.3f}" for number in row[:MOST]) for row in rows[:MOST]]


def _beside(right: list[str], wrong: list[str]) -> Iterator[str]:
    wide = max(5, *(len(line) for line in right))
    yield f"    {'right':<{wide}}   with the mistake"
    for i in range(max(len(right), len(wrong))):
        one, two = (lines[i] if i < len(lines) else "" for lines in (right, wrong))
        yield f"    {one:<{wide}}   {two}"
