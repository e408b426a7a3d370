"""Laws of how an attention layer is built: an argument for biases is heeded everywhere, and every matrix is used."""

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from regard.checker.conduct import BIAS
from regard.checker.contract import Broken, Case, Law
from regard.checker.contracts.attention.calls import CONTEXT
from regard.checker.laws import MOVES, gap
from regard.checker.process.session import Raised
from regard.checker.reading.arguments import mean
from regard.checker.roles import role
from regard.checker.subject import Subject
from regard.checker.workbench import Workbench


def biases(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Where an argument says whether queries, keys and values have biases, it says so for all of them."""
    bench, made = subject.bench, subject.made
    name = next((p["name"] for p in bench.member["parameters"] if mean(p["name"], ["bias"])), None)
    own = bench.member["kind"] == "class" and bench.made is None and bench.making is None
    if not own or name is None or _written(bench):
        return None
    try:
        without, having = (bench.again(made, made.built.named | {name: flag}) for flag in (False, True))
    except Raised:
        return None
    roles = {"q", "k", "v", "qk", "kv", "qkv"}
    kept = {n for n in without.learned if n.endswith("bias") and role(n) in roles}
    told = {n for n in having.learned if n.endswith("bias") and role(n) in roles} - kept
    if not kept or not told:
        return None
    words = f"{name} = False leaves out {', '.join(sorted(told))} and not {', '.join(sorted(kept))}"
    return Broken(number=float(len(kept)), words=words, slug="bias-argument")


def _written(bench: Workbench) -> bool:
    """Whether some map of the layer has a bias, or none, in so many words: that is meant."""
    return any(
        isinstance(node, ast.Call)
        and any(k.arg == "bias" and isinstance(k.value, ast.Constant) for k in node.keywords)
        for node in ast.walk(bench.source.member(bench.name))
    )


def idle(subject: Subject, case: Case, drawn: dict[str, np.ndarray]) -> list[str]:
    """Matrices that may be anything without moving the output, each with its bias."""
    before = subject.answer(case)
    found = []
    for name, value in drawn.items():
        if value.ndim < 2 or BIAS.search(name):
            continue
        subject.set(drawn | {name: value + 1.0})
        if gap(before, subject.answer(case)) <= MOVES[subject.kind]:
            found.append(name)
    subject.set(drawn)
    beside = [f"{name.removesuffix('weight')}bias" for name in found if name.endswith("weight")]
    return [*found, *(name for name in beside if name in drawn)]


def _another_way(names: list[str], facts: dict[str, Any]) -> bool:
    """Whether queries, keys and values have maps that are not used, beside those by which a known program is computed.

    >>> _another_way(["q.weight", "k.weight", "v.weight"], {"frame": 1}), _another_way(["v.weight"], {"frame": 1})
    (True, False)
    """
    return "frame" in facts and {"q", "k", "v"} <= {role(name) for name in names}


def used(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Every matrix moves the output; asked of what is no known program."""
    found, drawn = subject.facts.get("idle", []), subject.facts.get("drawn", {})
    if not found and drawn and "frame" not in subject.facts:
        found = idle(subject, subject.facts["trial"], drawn)
    found = [name for name in found if drawn[name].ndim > 1]
    if not found:
        return None
    if _another_way(found, subject.facts):
        subject.notes.append(f"built and never used, beside what is: {', '.join(found)}")
        return None
    slug = (
        "sum-overwritten"
        if _all_but_last(found, [name for name, value in drawn.items() if value.ndim > 1])
        else ""
    )
    return Broken(number=float(len(found)), words=f"{', '.join(found)}: built and never used", slug=slug)


def _all_but_last(found: list[str], names: list[str]) -> bool:
    """Whether weights are those of every part of a list but the last, and all of them.

    >>> names = [f"heads.{i}.{role}" for i in range(3) for role in ("q", "v")]
    >>> _all_but_last(names[:4], [*names, "out"]), _all_but_last(names[:2], names), _all_but_last(["out"], ["out"])
    (True, False, False)
    """
    listed = [match for name in names if (match := re.match(r"(.+?)\.(\d+)\.", name))]
    last = {prefix: max(int(m[2]) for m in listed if m[1] == prefix) for prefix in {m[1] for m in listed}}
    return bool(found) and set(found) == {m.string for m in listed if int(m[2]) < last[m[1]]}


def heard(usual: Callable[[Subject, np.random.Generator], Case]) -> Law:
    """Where there is an argument for a context, one that is given moves the output."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        case, call = usual(subject, rng), subject.made.call
        name = next((p["name"] for p in call[1:] if CONTEXT.match(p["name"]) and not p["required"]), None)
        values, named = subject.enter(case)
        if name is None or len(values) != 1:
            return None
        before = subject.answer(case)
        try:
            other = rng.standard_normal(named.get(name, values[0]).shape)
            after = subject.leave(subject.raw(values, named | {name: other}), case)
        except Raised:
            return None  # its context has another form
        if np.shape(after) != before.shape or gap(before, after) > MOVES[subject.kind]:
            return None
        return Broken(number=0.0, words=f"with other tokens as {name} the output is the same")

    return Law(
        name="context", says="queries look at the context where one is given", test=test, look="product"
    )


def apart(usual: Callable[[Subject, np.random.Generator], Case]) -> Law:
    """Where addresses tell tensors apart, queries that begin where the keys begin are still the queries."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        facts = subject.facts
        if "data_ptr" not in subject.bench.source.text_of(subject.bench.name) or facts.get("refused"):
            return None
        case = usual(subject, rng)
        x = rng.standard_normal(case["query"].shape)
        count = x.shape[1] // 2
        case = replace(case, inputs=case.inputs | {"query": x[:, :count], "key": x, "value": x})
        values, named = subject.enter(case)
        if len(values) != len("qkv") or facts["single"]:
            return None
        axis = 0 if facts["turned"] else 1
        whole = next(i for i, value in enumerate(values) if value.shape[axis] > count)
        parts = [{"of": whole, "axis": axis, "count": value.shape[axis]} for value in values]
        parts[whole] = values[whole]
        moved = gap(subject.answer(case), subject.leave(subject.raw(parts, named), case))
        if moved <= MOVES[subject.kind]:
            return None
        words = f"queries that are the first {count} of {x.shape[1]} keys, in one memory with them, are answered otherwise than copies of them: by {moved:.3g}"
        return Broken(number=moved, words=words)

    says = "tensors are told apart by what they are, not by where they lie"
    return Law(name="memory", says=says, test=test, look="address")


def whole(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Every head has a projection of its own, of the whole input."""
    if not subject.frame.facts.get("small"):
        return None
    words = "queries, keys and values have weights as wide as one head: each head sees its own channels of the input alone"
    return Broken(number=1.0, words=words, slug="projection-shared-by-heads")


def merged(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """The output projection sees what each head found, not one number for all of them."""
    if not (met := subject.frame.facts.get("merged")):
        return None
    words = f"the output projection is as wide as one head and meets {met}"
    return Broken(number=1.0, words=words, slug="heads-added-up")


LAWS = (
    Law(
        name="projections",
        says="every head projects the whole input, by weights of its own",
        test=whole,
        look="view product",
    ),
    Law(
        name="heads",
        says="the outputs of the heads stand side by side",
        test=merged,
        look="view mean product",
    ),
    Law(
        name="biases",
        says="an argument for biases holds for queries, keys and values",
        test=biases,
        look="bias",
    ),
    Law(name="used", says="every matrix that is built is used", test=used),
)
