"""Functions that fit a mixture to points and give its parameters back: one iteration more is one step of EM."""

import ast
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checker.contract import Case
from regard.checker.contracts.mixture.clouds import COMPONENTS, ROUNDS
from regard.checker.contracts.mixture.em import compared
from regard.checker.contracts.mixture.forms import forms, spread_of
from regard.checker.contracts.mixture.readings import frames
from regard.checker.contracts.mixture.reference import likelihood
from regard.checker.contracts.mixture.roles import read, shares_kept, sizes_of
from regard.checker.process.session import Raised
from regard.checker.reading.arguments import mean
from regard.checker.reading.source import Source
from regard.checker.subject import Subject
from regard.checker.workbench import Made, Unfit, Workbench

FEW = 3
"Iterations after which a function is asked, and asked again after one more."
OFTEN = re.compile(r"iter|epoch|steps?$|rounds|attempt|cycles|turns?$", re.I)
"Names of how often something is done."
SHOWS = r"verb|disp|print|show|plot|debug|message"
"Words in the names of what asks a fit to draw or to print."
FURTHER: tuple[tuple[str, Any], ...] = (
    (r"tol|eps|thresh|conv|delta", 1e-6),
    (SHOWS, False),
    (r"seed|random|state|rng", 0),
    (r"n_?init|restart", 1),
)
"What a fit may have to be told beside its points and how often, by words in its name."


@dataclass
class ReturnedMixture(Subject):
    """What a function gave back, as a mixture: its parameters alone are the function's, and their step is held to EM."""

    @property
    def real(self) -> bool:
        """What came back are numbers: there is nothing to call."""
        return False

    def answer(self, case: Case, *, seed: int = 0) -> np.ndarray:
        """The log-likelihood under the parameters that came back."""
        return likelihood(case, self.frame, {})


def further(parameters: list[dict[str, Any]], rounds: int, components: int, *, every: bool) -> dict[str, Any]:
    """What a fit is told beside its points: what it must be told, or all that is known.

    >>> asks = [{"name": name, "required": True, "star": False} for name in ("X", "max_iter", "tol", "disp")]
    >>> further(asks, 100, 3, every=False)
    {'max_iter': 100, 'tol': 1e-06, 'disp': False}
    """
    found: dict[str, Any] = {}
    for p in (p for p in parameters[1:] if (every or p["required"]) and not p["star"]):
        name = p["name"]
        if mean(name, ["components"]):
            found[name] = components
        elif OFTEN.search(name):
            found[name] = rounds
        elif known := [value for words, value in FURTHER if re.search(words, name, re.I)]:
            found[name] = known[0]
    return found


def call_of(parameters: list[dict[str, Any]], x: np.ndarray) -> tuple[list[Any], dict[str, Any]]:
    """How a fit is told its points, if it takes some, and what else it must be told.

    >>> asks = [{"name": name, "required": False, "star": False} for name in ("turns", "data")]
    >>> call_of(asks, np.ones(2)), call_of([{"name": "max_iter", "required": True, "star": False}], np.ones(2))
    (([], {'data': array([1., 1.])}), ([], {'max_iter': 100}))
    """
    plain = [p for p in parameters if not p["star"]]
    needed = [p for p in plain if p["required"]]
    lead = {"name": "", "required": False, "star": False}
    more = further([lead, *needed], ROUNDS, COMPONENTS, every=False) | _quietly(plain)
    free = [p["name"] for p in needed if p["name"] not in more]
    if free:
        return ([x], more) if free[0] == needed[0]["name"] else ([], more | {free[0]: x})
    data = [p["name"] for p in plain if mean(p["name"], ["data"])]
    return [], more | dict.fromkeys(data[:1], x)


def _quietly(parameters: list[dict[str, Any]]) -> dict[str, Any]:
    """What keeps a fit from drawing and printing, where it does so unless it is told otherwise.

    >>> _quietly([{"name": "plot", "default": True}, {"name": "scale", "default": True}])
    {'plot': False}
    """
    shown = [p["name"] for p in parameters if p.get("default") is True and re.search(SHOWS, p["name"], re.I)]
    return dict.fromkeys(shown, False)


def fits(bench: Workbench) -> bool:
    """Whether it is a function of points that says how often it iterates, and asks for nothing that nobody knows."""
    own = bench.member["parameters"]
    if bench.member["kind"] != "function" or not own or not any(OFTEN.search(p["name"]) for p in own[1:]):
        return False
    known = further(own, FEW, 1, every=False)
    return bool(mean(own[0]["name"], ["data"])) and all(
        p["name"] in known for p in own[1:] if p["required"] and not p["star"]
    )


def iterated(bench: Workbench, data: list[np.ndarray], components: int) -> Subject:
    """The mixture that comes back after some iterations; the next iteration is kept beside it."""
    if bench.stretch:
        raise Unfit("fixed-sizes", "what is fitted has the sizes of its data", "")
    made, error = bench.build({}), None
    for x in data:
        try:
            one, two = (_parameters(bench, made, x, rounds, components) for rounds in (FEW, FEW + 1))
            roles = read(list(one), one, bench.said, len(x))
            k, d = sizes_of(roles, one)
            if (one[roles["logits"]] > 1).any():
                continue  # they are no weights
            if d != (x.shape[1] if x.ndim > 1 else 1) or spread_of(one[roles["log_variances"]], k, d) is None:
                continue
        except (Raised, Unfit) as trouble:
            error = error or trouble
            continue
        return stepping(bench, made, roles, (one, two), x.reshape(len(x), -1))
    bench.doubts.append("fitted to a cloud of points")
    raise error or Unfit("unknown-weight", "it gives back no weights, means and covariances", "return them")


def stepping(
    bench: Workbench,
    made: Made,
    roles: dict[str, str],
    both: tuple[dict[str, np.ndarray], dict[str, np.ndarray]],
    x: np.ndarray,
) -> ReturnedMixture:
    one, two = both
    k, d = sizes_of(roles, one)
    numbers = spread_of(one[roles["log_variances"]], k, d)
    square = numbers is not None and numbers.ndim == 3
    text = bench.source.text_of(bench.name)
    shares = shares_kept(roles["logits"], one[roles["logits"]], module=False)
    made.weights = made.weights | one
    subject = ReturnedMixture(bench, made, lambda case: ([case["x"]], {}))
    subject.facts |= {"drawn": {}, "roles": roles, "components": k, "dimension": d, "shares": shares}
    subject.facts |= {"square": square, "fixed": True}
    held = [two[roles[role]] for role in ("logits", "means", "log_variances")]
    ways = forms(roles["log_variances"], one[roles["log_variances"]], text, square=square)
    for form in [*ways, ways[0]]:
        subject.facts |= {"form": form, "one more": (x, held)}
        subject.frames = frames(roles, one, [form], shares, subject, module=False)
        if compared(subject, x, held) is None:
            break
    subject.notes.append(f"held to EM by its parameters after {FEW} and {FEW + 1} iterations")
    return subject


def _parameters(
    bench: Workbench, made: Made, x: np.ndarray, rounds: int, components: int
) -> dict[str, np.ndarray]:
    """What it gives back, by name; numbers whose names differ by a digit alone are one array."""
    named = further(bench.member["parameters"], rounds, components, every=True)
    answer = bench.line.ask("call", made.number, [x], named=named, method="", kind="float64", seed=0)[
        "answer"
    ]
    parts = (
        dict(zip(_names(bench.source, bench.name), answer, strict=False)) if isinstance(answer, list) else {}
    )
    arrays = {n: _array(v) for n, v in parts.items()}
    found = {n: v for n, v in arrays.items() if v is not None and v.dtype.kind == "f"}
    groups: dict[str, list[np.ndarray]] = {}
    for name, value in found.items():
        if value.size == 1:
            groups.setdefault(name.rstrip("0123456789"), []).append(value.reshape(()))
    arrays = {n: v for n, v in found.items() if v.size > 1}
    arrays |= {n: np.stack(v) for n, v in groups.items() if len(v) > 1}
    if len(arrays) == len(groups) - 1 and all(len(v) in (1, 2) for v in groups.values()):
        # One number is the share of the first of two components.
        arrays |= {n: np.array([v[0], 1 - v[0]]) for n, v in groups.items() if len(v) == 1}
    return arrays


def _array(value: Any) -> np.ndarray | None:
    """Something as an array, where its parts have one shape."""
    try:
        return np.asarray(value)
    except ValueError:
        return None


def _names(source: Source, name: str) -> list[str]:
    """What a function calls the things that it gives back: one after the other, or in a dictionary.

    >>> _names(Source("def fit(x):\\n    found = {'mu': x, 'p': 1}\\n    return found"), "fit")
    ['mu', 'p']
    """
    node = source.member(name)
    ends = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value]
    last = ends[-1] if ends else None
    if isinstance(last, ast.Name):
        own = [n for n in ast.walk(node) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Dict)]
        last = next((n.value for n in own[::-1] if ast.unparse(n.targets[0]) == last.id), last)
    if isinstance(last, ast.Dict):
        return [str(key.value) if isinstance(key, ast.Constant) else "" for key in last.keys]
    return [ast.unparse(part) for part in last.elts] if isinstance(last, ast.Tuple | ast.List) else []
