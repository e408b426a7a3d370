"""The operator under one's hands: `attend` with four choices on a small random input, as a document."""

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.normalise import Divide, Mean, Raw, Softmax, Symmetric
from regard.core.position import Alibi, Relative, Rotary
from regard.core.similarity import Additive, Constant, Cosine, Dot, Gaussian, Kernel, elu_plus_one
from regard.core.support import Causal, Full, Window
from regard.errors import RegardError
from regard.lab.documents.plain import rounded
from regard.web.worker.models import Models

WIDTH, HEADS, REACH = 8, 1, 2
"Channels, heads, and how far a window reaches."


def ring(n: int) -> Edges:
    """Each place joined with the next and the one after, both ways, and with itself."""
    apart = (torch.arange(n)[:, None] - torch.arange(n)) % n
    target, source = ((apart <= REACH) | (apart >= n - REACH)).nonzero().T
    return Edges(source, target, nodes=n)


Make = Callable[[int], Any]
SIMILARITIES: dict[str, tuple[str, Make]] = {
    "dot": ("Dot()", lambda n: Dot()),
    "cosine": ("Cosine()", lambda n: Cosine()),
    "gaussian": ("Gaussian()", lambda n: Gaussian()),
    "kernel": ("Kernel(elu_plus_one)", lambda n: Kernel(elu_plus_one)),
    "additive": (f"Additive(heads={HEADS}, width={WIDTH})", lambda n: Additive(HEADS, WIDTH)),
    "constant": ("Constant()", lambda n: Constant()),
}
SUPPORTS: dict[str, tuple[str, Make]] = {
    "full": ("Full()", lambda n: Full()),
    "causal": ("Causal()", lambda n: Causal()),
    "window": (f"Window({REACH})", lambda n: Window(REACH)),
    "edges": ("edges", ring),
}
POSITIONS: dict[str, tuple[str, Make]] = {
    "none": ("None", lambda n: None),
    "rotary": ("Rotary()", lambda n: Rotary()),
    "alibi": ("Alibi((0.5,))", lambda n: Alibi((0.5,))),
    "relative": (
        "Relative(-0.2 * distance**2)",
        lambda n: Relative(-0.2 * torch.arange(1 - n, n).float() ** 2),
    ),
}
NORMALISERS: dict[str, tuple[str, Make]] = {
    "softmax": ("Softmax()", lambda n: Softmax()),
    "divide": ("Divide()", lambda n: Divide()),
    "mean": ("Mean()", lambda n: Mean()),
    "symmetric": ("Symmetric()", lambda n: Symmetric()),
    "raw": ("Raw()", lambda n: Raw()),
}
CHOICES = {"similarity": SIMILARITIES, "support": SUPPORTS, "position": POSITIONS, "normalise": NORMALISERS}
ROWS = {
    ("dot", "full", "softmax"): "the transformer's attention",
    ("dot", "causal", "softmax"): "the transformer's attention, causal",
    ("kernel", "full", "divide"): "linear attention",
    ("kernel", "causal", "divide"): "linear attention, causal",
    ("additive", "edges", "softmax"): "a graph attention layer",
    ("constant", "edges", "symmetric"): "a graph convolution",
    ("constant", "edges", "mean"): "the mean aggregation of message passing",
    ("gaussian", "full", "softmax"): "the responsibilities of a mixture",
}
"Rows of the table of DESIGN.md that these choices meet; the position may be any."


def operator(models: Models, fields: dict[str, Any]) -> dict[str, Any]:
    """Weights and output of one call, how it is written, which backend runs it, what it costs."""
    n, seed = fields["n"], fields["seed"]
    chosen = {name: fields[name] for name in CHOICES}
    head = {
        "kind": "operator",
        "version": 1,
        "chosen": chosen | {"n": n, "seed": seed},
        "row": ROWS.get((chosen["similarity"], chosen["support"], chosen["normalise"]), ""),
        "python": _python(chosen, n, seed),
        "choices": {name: list(table) for name, table in CHOICES.items()},
    }
    torch.manual_seed(seed)
    factors = {name: table[chosen[name]][1](n) for name, table in CHOICES.items()}
    q, k, v = torch.randn(3, 1, HEADS, n, WIDTH, generator=torch.Generator().manual_seed(seed))
    try:
        with torch.no_grad():
            fast = attend(q, k, v, **factors)
            whole = attend(q, k, v, **factors, weights=True)
    except RegardError as error:
        refused = {"what": error.what, "got": error.got, "fix": error.fix}
        nothing = {"weights": None, "output": None, "backend": "", "reason": "", "cost": None}
        return head | nothing | {"refused": refused}
    assert whole.weights is not None
    return head | {
        "weights": _rows(_matrix(whole.weights, factors["support"], n)),
        "output": _rows(whole.output[0, 0]),
        "backend": fast.backend,
        "reason": fast.reason,
        "cost": _cost(fast.backend, factors["support"], n),
        "refused": None,
    }


def _python(chosen: dict[str, str], n: int, seed: int) -> list[str]:
    """The lines that give the very numbers that are shown; what is usual is left out."""
    usual = {"similarity": "dot", "support": "full", "position": "none", "normalise": "softmax"}
    said = [f"{name}={CHOICES[name][word][0]}" for name, word in chosen.items() if word != usual[name]]
    call = f"attended = attend({', '.join(['q', 'k', 'v', *said])})"
    names = {*re.findall(r"\b[A-Z]\w+(?=\()", call), *re.findall("elu_plus_one", call), "attend"}
    if chosen["support"] == "edges":
        names.add("Edges")
    drawn = f"torch.randn(3, 1, {HEADS}, {n}, {WIDTH}, generator=torch.Generator().manual_seed({seed}))"
    lines = ["import torch", f"from regard import {', '.join(sorted(names))}", "", f"q, k, v = {drawn}"]
    if chosen["support"] == "edges":
        lines += [
            f"apart = (torch.arange({n})[:, None] - torch.arange({n})) % {n}",
            f"target, source = ((apart <= {REACH}) | (apart >= {n} - {REACH})).nonzero().T",
            f"edges = Edges(source, target, nodes={n})",
        ]
    if chosen["position"] == "relative":
        lines.append(f"distance = torch.arange({1 - n}, {n}).float()")
    if chosen["similarity"] == "additive":
        lines.append(f"torch.manual_seed({seed})  # Additive has weights of its own")
    return [*lines, call, "attended.output"]


def _matrix(weights: Tensor, support: Any, n: int) -> Tensor:
    """The weights as query by key, also where they are one for each edge."""
    if not isinstance(support, Edges):
        return weights[0, 0]
    return torch.zeros(n, n).index_put((support.target, support.source), weights[0, 0], accumulate=True)


def _rows(values: Tensor) -> list[list[float]]:
    return [[rounded(one, 5) for one in row] for row in values.tolist()]


def _cost(backend: str, support: Any, n: int) -> dict[str, Any]:
    """Operations and bytes of the call, by the formula of its backend; four bytes a number."""
    if backend == "linear":
        count, kept, formula = 4 * n * WIDTH * WIDTH, WIDTH * WIDTH, "4 n d c operations, d c numbers kept"
    elif isinstance(support, Edges):
        e = len(support.source)
        count, kept, formula = 4 * e * WIDTH, e, "2 e d + 2 e c operations, e weights"
    else:
        count, kept, formula = 4 * n * n * WIDTH, n * n, "2 n m d + 2 n m c operations, n m weights"
    return {"operations": count, "bytes": 4 * kept, "formula": formula}
