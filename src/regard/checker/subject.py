"""A person's implementation, ready to answer cases in the reference's own layout."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regard.checker.contract import Case, WeightMap
from regard.checker.process.session import Raised, sizes_of
from regard.checker.reading.source import role
from regard.checker.workbench import Made, Unfit, Workbench

Arguments = tuple[list[Any], dict[str, Any]]
NUMBER = r"(?<=\.)\d+(?=\.|$)"
"A number in a weight's name: its place in a list."
LISTED = 3
"Numbers in a list that are one array: fewer may be an answer and what comes beside it."
NAMED = 256
"The largest size of a source that is tried."


@dataclass
class Subject:
    """Answers cases; knows how the weights are read and what was noticed on the way."""

    bench: Workbench
    made: Made
    enter: Callable[[Case], Arguments]
    "A case as the person's code takes it."
    leave: Callable[[Any, Case], np.ndarray] = lambda answer, case: first(answer)
    "The person's answer in the reference's layout."
    frames: list[WeightMap] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    method: str = ""
    changed: set[str] = field(default_factory=set)
    "Inputs that were written into."
    otherwise: Callable[[], list[WeightMap]] | None = None
    "Readings of the weights that are tried where no known program fits: of the reference alone."
    fresh: bool = False
    "Whether every call is made to an object that was never called: for what remembers."

    @property
    def frame(self) -> WeightMap:
        """The reading of the weights that fits, once that is known; else the most plausible."""
        return self.facts.get("frame") or self.frames[0]

    @property
    def kind(self) -> str:
        """The precision in which it is judged."""
        return self.made.kind

    def answer(self, case: Case, *, seed: int = 0) -> np.ndarray:
        """What the person's code says to a case."""
        values, named = self.enter(case)
        if case.facts.get("strided"):
            values, named = [_strided(v) for v in values], {n: _strided(v) for n, v in named.items()}
        found = self.leave(self.raw(values, named, seed=seed), case)
        if not isinstance(found, np.ndarray) or found.dtype.kind not in "fiub":
            raise Unfit("wrong-answer", f"it answers with {kind_of(found)}", "return a tensor of floats")
        return found.astype(np.float64)

    def raw(self, values: list[Any], named: dict[str, Any], *, seed: int = 0) -> Any:
        """All that the person's code answers, as it comes."""
        asked = {"method": self.method, "kind": self.kind, "seed": seed, "fresh": self.fresh}
        try:
            reply = self.bench.line.ask(
                "call", self.made.number, values, named=named | self.bench.calling, **asked
            )
        except Raised as error:
            error.given = sizes_of(values, named)
            raise
        self.changed |= {str(i) for i in reply["changed"]}
        return reply["answer"]

    @property
    def real(self) -> bool:
        """Whether there is something to call or to differentiate."""
        return self.made.module or bool(self.made.call or self.method)

    def set(self, values: dict[str, np.ndarray]) -> None:
        """Put weights into the person's object; what stands for a list of weights, one by one."""
        self.bench.line.ask("set", self.made.number, apart(values))

    def training(self, on: bool) -> None:
        """Train or evaluate."""
        self.bench.line.ask("mode", self.made.number, on)


def _strided(value: Any) -> Any:
    """Numbers with axes so that they do not lie one after the other in memory."""
    plain = isinstance(value, np.ndarray) and value.ndim > 1 and value.dtype.kind == "f"
    return {"strided": value} if plain else value


def larger(subject: Subject, rng: np.random.Generator, least: int = 12, most: int = 70) -> list[int]:
    """Sizes that nobody can foresee, and those just beyond the numbers that the source names."""
    drawn = rng.integers(least, most, 3).tolist()
    named = [number + 1 for number in subject.bench.source.numbers() if least <= number <= NAMED]
    return sorted({*drawn, most, *named[:6]})


def triple(parameters: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The parameters that take query, key and value, by their letters: the first three, or those that must be given.

    A first one whose name says nothing is the query where a key and a value follow.

    >>> needed = [{"name": name, "required": True} for name in ("mask", "q", "k", "v")]
    >>> [p["name"] for p in triple(needed).values()], list(triple([{"name": n} for n in ("x", "value", "key")]))
    (['q', 'k', 'v'], ['q', 'v', 'k'])
    """
    head = [role(p["name"]) for p in parameters[:3]]
    if head[:1] == [None] and sorted(map(str, head[1:])) == ["k", "v"]:
        head[0] = "q"
    found = {str(letter): p for letter, p in zip(head, parameters, strict=False)}
    if sorted(found) != ["k", "q", "v"]:
        needed = [p for p in parameters if p.get("required") and not re.search("mask", p["name"], re.I)]
        found = {str(role(p["name"])): p for p in needed if role(p["name"])}
    return found if sorted(found) == ["k", "q", "v"] else {}


def by_role(parameters: list[dict[str, Any]], given: dict[str, Any]) -> Arguments:
    """What is given for q, k and v, in the order and the manner in which the parameters for them take it."""
    ours = triple(parameters)
    first = list(ours.values()) == parameters[:3]
    values = [given[letter] for letter, p in ours.items() if first and not p.get("named")]
    return values, {p["name"]: given[letter] for letter, p in ours.items() if not first or p.get("named")}


def takes_roles(parameters: list[dict[str, Any]]) -> bool:
    """Whether a query, a key and a value are taken, in any order."""
    return bool(triple(parameters))


def first(answer: Any) -> Any:
    """The first array of an answer: a layer may return (output, weights)."""
    while isinstance(answer, list) and answer:
        answer = np.asarray(answer, dtype=np.float64) if _numbers(answer) else answer[0]
    return np.asarray(answer) if isinstance(answer, bool | int | float) else answer


def _numbers(answer: list[Any]) -> bool:
    """Whether a list holds one number for each of several points, or one list of numbers for each.

    >>> _numbers([1.0, 2.0, 3.0]), _numbers([[1.0, 2.0]] * 3), _numbers([np.ones(3), 2.0, 1.0])
    (True, True, False)
    """
    if len(answer) < LISTED:
        return False
    if all(map(_number, answer)):
        return True
    rows = all(isinstance(part, list) and all(map(_number, part)) for part in answer)
    return rows and len({len(part) for part in answer}) == 1


def _number(value: Any) -> bool:
    return type(value) is float or (isinstance(value, np.ndarray) and value.ndim == 0)


def kind_of(value: Any) -> str:
    """A value in words."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype.name}"
    if isinstance(value, dict) and "other" in value:
        return f"a {value['other']}"
    return "nothing" if value is None else f"a {type(value).__name__}"


def listed(weights: dict[str, np.ndarray], names: list[str]) -> dict[str, np.ndarray]:
    """Weights of equal shape whose names differ in one number alone, as one array: `means.0`, `means.1` as `means.#`.

    >>> {name: value.shape for name, value in listed({"m.0.a": np.ones(5), "m.1.a": np.ones(5)}, ["m.0.a", "m.1.a"]).items()}
    {'m.#.a': (2, 5)}
    """
    found: dict[str, list[np.ndarray]] = {}
    for name in names:
        if len(re.findall(NUMBER, name)) == 1:
            found.setdefault(re.sub(NUMBER, "#", name), []).append(weights[name])
    return {
        name: np.stack(values)
        for name, values in found.items()
        if len(values) > 1
        and len({value.shape for value in values}) == 1
        and all(name.replace("#", str(i)) in names for i in range(len(values)))
    }


def apart(values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same weights under their own names.

    >>> apart({"means.#": np.eye(2)})
    {'means.0': array([1., 0.]), 'means.1': array([0., 1.])}
    """
    found: dict[str, np.ndarray] = {}
    for name, value in values.items():
        found |= (
            {name.replace("#", str(i)): np.asarray(one) for i, one in enumerate(value)}
            if "#" in name
            else {name: value}
        )
    return found


def draw(made: Made, rng: np.random.Generator, size: float = 1.5) -> dict[str, np.ndarray]:
    """Probe weights: large, so that softmax is far from flat; no gain is one and no bias zero."""
    drawn = {}
    for name in made.learned:
        shape = made.weights[name].shape
        fan = shape[-1] if len(shape) > 1 else 1
        if len(shape) > 1 and name.rpartition(".")[2] != "bias":
            drawn[name] = rng.standard_normal(shape) * size / np.sqrt(max(fan, 1))
        elif "bias" in name.rpartition(".")[2]:
            drawn[name] = np.asarray(rng.standard_normal(shape) * 0.5)
        else:
            drawn[name] = np.asarray(rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape))
    for first, *others in made.same:
        drawn |= dict.fromkeys(others, drawn[first])
    return drawn
