"""Puppets: the reference itself, whole or sabotaged, standing where a person's code would be."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import golden
from regard.checker.contract import Case, Contract, Steps, WeightMap
from regard.checker.contracts.table import named
from regard.checker.grammar.program import Program
from regard.checker.reading.arguments import Built
from regard.checker.reading.source import Source
from regard.checker.subject import Subject
from regard.checker.workbench import Made, Workbench

# What is judged is never collected: those files run in a child process, or are imported by name.
collect_ignore_glob = ["mutants/*", "planted/*", "correct/*", "hostile/*", "cheating/*", "fixtures/*"]

HERE = Path(__file__).parent


class Nobody:
    """No line to anybody."""

    def ask(self, verb: str, *values: Any, **named: Any) -> Any:
        raise AssertionError("a puppet is not asked")


class Puppet(Subject):
    """Answers as the reference does, with some steps replaced."""

    def __init__(self, contract: Contract, frame: WeightMap, steps: Steps, facts: dict[str, Any]) -> None:
        made = Made(0, {}, {}, [], {}, {}, [], False, Built({}, {}))
        bench = Workbench(Nobody(), {"name": "puppet", "kind": "function", "parameters": []}, [], Source(""))
        super().__init__(bench, made, lambda case: ([], {}), frames=[frame], facts=facts)
        self.contract, self.steps = contract, steps

    def answer(self, case: Case, *, seed: int = 0) -> np.ndarray:
        return self.contract.reference(case, self.frames[0], self.steps)

    def raw(self, *given: Any, **named: Any) -> np.ndarray:
        """All that it gives back: nothing beside the answer."""
        return np.zeros(0)

    def training(self, on: bool) -> None:
        pass


def _attention(rng: np.random.Generator, *, causal: bool) -> tuple[WeightMap, dict[str, Any]]:
    weights = {f"w{r}": rng.standard_normal((24, 24)) * 0.3 for r in "qkvo"}
    weights |= {f"b{r}": rng.standard_normal(24) * 0.5 for r in "qkvo"}
    facts = {
        "width": 24,
        "heads": 3,
        "cross": not causal,
        "mask": "mask",
        "layout": "b m",
        "keys": 7,
        "refused": None,
        "most": 11,
    }
    return WeightMap(weights=weights, facts={"heads": 3, "causal": causal}), facts


def _graph(rng: np.random.Generator, *, attention: bool) -> tuple[WeightMap, dict[str, Any]]:
    if attention:
        weights = {
            "w": rng.standard_normal((12, 3, 4)),
            "bw": np.zeros((3, 4)),
            "ba": np.zeros(()),
            "bias": rng.standard_normal(12),
        }
        weights |= {"target": rng.standard_normal((3, 4)), "source": rng.standard_normal((3, 4))}
        weights |= {"gain": rng.standard_normal(12), "shift": rng.standard_normal(12)}
        return WeightMap(weights=weights, facts={"heads": 3}), {"width": 12, "way": "matrix"}
    weights = {"w": rng.standard_normal((10, 10))}
    weights |= {name: rng.standard_normal(10) for name in ("bias", "gain", "shift")}
    return WeightMap(weights=weights, facts={"prepared": False}), {"width": 10, "way": "matrix"}


def frame_of(contract: Contract, rng: np.random.Generator) -> tuple[WeightMap, dict[str, Any]]:
    """Random weights and the facts that an adapter would have found."""
    if contract.name in ("causal-attention", "multi-head-attention"):
        return _attention(rng, causal=contract.name == "causal-attention")
    if contract.name in ("gat-layer", "gcn-layer"):
        return _graph(rng, attention=contract.name == "gat-layer")
    if contract.name in ("rms-norm", "layer-norm"):
        weights = {
            "gain": rng.uniform(0.5, 1.5, 24),
            "bias": rng.standard_normal(24) * (contract.name == "layer-norm"),
        }
        return WeightMap(weights=weights, facts={"eps": 1e-5}), {"given": 1e-5, "width": 24, "axes": "last"}
    if contract.name == "rotary":
        return WeightMap(weights={}, facts={"axis": -2, "base": 10000.0}), {
            "layout": "b h n d",
            "two": True,
            "offset": True,
            "width": 10,
        }
    if contract.name == "gaussian-mixture":
        weights = {"logits": rng.standard_normal(3) + 0.7, "means": rng.standard_normal((3, 5))}
        weights["log_variances"] = rng.uniform(0.2, 1.2, (3, 5))
        return WeightMap(weights=weights), {"dimension": 5, "components": 3}
    return WeightMap(weights={}), {
        "mask": "mask",
        "shape": ((2, 3), 7, 7, 8, 8),
        "refused": None,
        "layout": "n m",
        "counts": False,
    }


@pytest.fixture
def puppet() -> Callable[[str, Steps], Puppet]:
    """Make a puppet of a contract with some steps replaced."""

    def make(name: str, steps: Steps, seed: int = 3) -> Puppet:
        contract = named(name)
        frame, facts = frame_of(contract, np.random.default_rng(seed))
        return Puppet(contract, frame, steps, facts | {"drawn": {}})

    return make


@pytest.fixture
def known_answers(request: pytest.FixtureRequest, puppet: Callable) -> Callable[..., None]:
    """Hold what a contract's reference, mistakes, conventions and exchanged steps answer to a golden record."""

    def check(*contracts: str) -> None:
        for name in contracts:
            contract, found = named(name), {"reference": numbers(answer(puppet(name, {})))}
            for known in (*contract.mistakes, *contract.conventions):
                for place, steps in enumerate(known.forms[:8]):
                    found[f"{known.slug} {place}"] = numbers(answer(puppet(name, steps)))
            for words, steps in exchanged(contract.program):
                with np.errstate(all="ignore"):
                    found[words] = numbers(answer(puppet(name, steps)))
            golden.check(str(request.path.with_name("answers.py")), golden.summary(found), name)

    return check


def exchanged(program: Program | None) -> Iterator[tuple[str, Steps]]:
    """What people write in place of steps, in words."""
    for step in program.steps if program else ():
        yield from ((f"{step.name}: {words}", {step.name: do}) for words, do in step.instead)
    for slug, _, steps in program.others if program else ():
        yield f"steps: {slug}", dict(steps)


def answer(subject: Puppet) -> np.ndarray:
    """What a puppet says in two cases; nothing where its steps do not fit these weights."""
    cases = subject.contract.cases(subject, np.random.default_rng(0))[:2]
    try:
        return np.concatenate([np.ravel(subject.answer(case)) for case in cases])
    except (ValueError, KeyError, IndexError):
        return np.zeros(0)


def numbers(values: np.ndarray) -> list[float]:
    return [float(one) for one in np.real(values)]


@pytest.fixture(scope="session")
def style() -> Callable[[str], ModuleType]:
    """A module of tests/checker/fixtures by name."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"style_{name}", HERE / "fixtures" / f"{name}.py")
        assert spec and spec.loader
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
