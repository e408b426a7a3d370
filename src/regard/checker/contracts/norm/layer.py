"""How a person's norm is made and called, and what can go wrong in both kinds."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.contract import Broken, Case, Convention, Law, Mistake, Steps, WeightMap, forms
from regard.checker.contracts.norm.kinds import BIAS, GAIN, meant
from regard.checker.contracts.norm.layouts import SECOND, called
from regard.checker.contracts.norm.reference import mean_square
from regard.checker.contracts.norm.rows import batch, usual
from regard.checker.process.session import Raised
from regard.checker.reading.arguments import mean
from regard.checker.reading.settings import worded
from regard.checker.subject import Arguments, Subject
from regard.checker.workbench import Made, Unfit, Workbench

WIDTH, EPS = 24, 1e-5
WIDER = (1, 5, 7, 11, 13, 17, 19, 23, 25, 29)
"By how much wider it is made a second time: to widths that neither two nor three divides."
VALUES = (
    EPS,
    1e-6,
    1e-8,
    1e-12,
    1e-7,
    1e-9,
    1e-10,
    1e-3,
    1e-4,
    float(np.finfo(np.float32).eps),
    float(np.finfo(np.float64).eps),
)
"Epsilons that people use."

LISTED = re.compile(
    r"'int' object is not (iterable|subscriptable)|'int' has no len|must be an iterable, not int"
)
"Words of a TypeError that a number ends in where a list is wanted."

SHARED = (
    Mistake(
        slug="axis-tokens",
        cause="the statistics run over the tokens, so that tokens see each other",
        remedy="take them over the last axis, the channels: dim=-1, keepdim=True",
        look="mean variance",
        forms=forms({"axis": lambda x: -2}),
    ),
    Mistake(
        slug="axis-batch",
        cause="the statistics run over the batch, so that samples see each other (a batch norm)",
        remedy="take them over the last axis, the channels: dim=-1, keepdim=True",
        look="mean variance",
        forms=forms({"axis": lambda x: 0}, {"axis": lambda x: tuple(range(x.ndim - 1))}),
    ),
    Mistake(
        slug="axis-all",
        cause="the statistics run over tokens and channels together",
        remedy="take them over the last axis alone: dim=-1, keepdim=True",
        look="mean variance",
        forms=forms({"axis": lambda x: tuple(range(1, x.ndim))}, {"axis": lambda x: tuple(range(x.ndim))}),
    ),
    Mistake(
        slug="root-multiplied",
        cause="it multiplies by the root instead of dividing by it",
        remedy="divide by sqrt(… + eps), or multiply by rsqrt(… + eps)",
        look="root power",
        forms=forms({"divide": lambda above, below, eps: above * np.sqrt(below + eps)}),
    ),
    Mistake(
        slug="sum-for-mean",
        cause="the squares are summed and not averaged, so the result is smaller by the root of the width",
        remedy="use the mean of the squares: .mean(dim=-1, keepdim=True)",
        look="mean variance",
        forms=forms({"below": lambda x, axis: mean_square(x, axis) * x.shape[-1]}),
    ),
    Mistake(
        slug="gain-missing",
        cause="the gain is not applied",
        remedy="multiply the result by the weight",
        look="root power",
        forms=forms({"finish": lambda y, x, w: y + w["bias"]}),
    ),
    Mistake(
        slug="eps-missing",
        cause="there is no epsilon under the root: where it is zero, a row gives NaN or infinity",
        remedy="divide by sqrt(… + eps)",
        look="root power",
        forms=forms({"divide": lambda above, below, eps: above / np.sqrt(below)}),
    ),
)
BEHAVIOUR = (
    Mistake(
        slug="gain-plus-one-at-one",
        cause="it multiplies by 1 + weight though the weight starts at one: a fresh layer doubles what it should leave",
        remedy="multiply by the weight itself, or start the weight at zero (torch.zeros)",
        look="root power",
    ),
    Mistake(
        slug="input-modified",
        cause="the input is written into, in place",
        remedy="use operations without a trailing underscore, and x = x / … instead of x /= …",
    ),
    Mistake(
        slug="state-between-calls",
        cause="the answer depends on earlier calls",
        remedy="keep no running statistics on self",
    ),
    Mistake(
        slug="dropout-in-eval",
        cause="chance plays a part in eval()",
        remedy="leave chance out of a norm",
        look="dropout",
    ),
    Mistake(
        slug="gradient-cut",
        cause="no gradient, or a wrong one, reaches the input or a weight that the answer depends on",
        remedy="leave out .detach(), .data and torch.no_grad() on the way",
    ),
)
CONVENTIONS = (
    Convention(slug="eps-value", says="epsilon is another than the one asked for"),
    Convention(
        slug="eps-placement",
        says="epsilon stands outside the root (or as a floor, or in the sum of the squares): differs only where the input is as small as epsilon",
        harmless=True,
        choice="eps=outside",
        forms=forms(
            {"divide": lambda above, below, eps: above / (np.sqrt(below) + eps)},
            {"divide": lambda above, below, eps: above / np.sqrt(np.maximum(below, eps))},
            {"divide": lambda above, below, eps: above / np.maximum(np.sqrt(below), eps)},
            {"divide": lambda above, below, eps: above / np.sqrt(below + eps**2)},
        ),
    ),
    Convention(
        slug="gain-plus-one",
        says="the weight is one less than the gain: it multiplies by 1 + weight",
        harmless=True,
        choice="gain=1+weight",
        forms=forms({"finish": lambda y, x, w: y * (1 + w["gain"]) + w["bias"]}),
    ),
    SECOND,
)


def adapt(bench: Workbench) -> Subject:
    """Make the norm, or take the function with a weight, a bias and an epsilon of ours."""
    rng = np.random.default_rng(7)
    made = _built(bench)
    # A class may take its weights with every call, as a function does.
    function = bench.member["kind"] == "function" or not (made.learned or made.module)
    width = width_of(made)
    names = [p["name"] for p in made.call]
    gain, bias = rng.uniform(0.5, 1.5, width) * rng.choice([-1, 1], width), rng.standard_normal(width)
    extra: dict[str, Any] = {}
    fields = {name: worded(bench.source, bench.name, name) for name in names if function}
    free = [name for name in names if not fields.get(name)]
    if not names:
        raise Unfit(
            "nothing-to-call",
            f"{bench.name} has nothing to call: no forward, no __call__",
            "name what can be called",
        )
    data = next((name for name in free if meant(name, gain, bias, EPS) is None), "")
    for name in [name for name in names if name != data] if function else []:
        if words := fields[name]:
            extra[name] = {"config": {w: v for w in words if (v := meant(w, gain, bias, EPS)) is not None}}
        elif (value := meant(name, gain, bias, EPS)) is not None:
            extra[name] = value
        elif mean(name, ["width"]):
            extra[name] = [width] if "shape" in name else width
    strange = [p["name"] for p in made.call if p["required"] and not p["star"] and p["name"] not in extra]
    if function:  # what must be given beside the data under a name that says nothing: a gain, then a bias
        extra |= dict(zip([n for n in strange if n != data], (gain, bias), strict=False))
    told = mean_of(extra, made)

    def given(x: Any) -> Arguments:
        # A function may take its weight before its input: then everything goes by name.
        behind = function and data != names[0]
        return ([], extra | {data: x}) if behind else ([x], extra)

    subject, layout = called(bench, made, given, batch(rng, width))
    drawn = {
        name: rng.uniform(0.5, 1.5, made.weights[name].shape) * rng.choice([-1, 1], made.weights[name].shape)
        for name in made.learned
    }
    subject.set(drawn)
    start = {name: made.weights[name] for name in made.learned}
    subject.facts |= {"drawn": drawn, "given": told, "start": start, "width": width}
    handed = extra | {
        w: v for held in extra.values() if isinstance(held, dict) for w, v in held["config"].items()
    }
    weights = {k: v for k, v in handed.items() if isinstance(v, np.ndarray)} if function else drawn
    roles = {name: word for name, word in bench.said.items() if name not in made.built.named}
    found = read(weights, told, width, optional=function, said=roles)
    subject.frames = [replace(f, conventions=(*f.conventions, *layout)) for f in found]
    return subject


def _built(bench: Workbench) -> Made:
    """The norm of a width; where that must be a list of axes, as torch has it, of one."""
    known: dict[str, Any] = {"width": WIDTH + bench.stretch, "eps": EPS, "bias": None, "axes": None}
    try:
        return bench.build(known)
    except Raised as error:
        if error.kind != "TypeError" or not LISTED.search(error.words):
            raise
        return bench.build(known | {"width": [known["width"]]})


def width_of(made: Made) -> int:
    """The width it was asked for, or that its weights have: an object, or a class whose sizes are fixed."""
    if "width" in made.built.meant or not made.learned:
        return WIDTH + made.stretch
    return max(made.weights[name].size for name in made.learned)


def mean_of(extra: dict[str, Any], made: Any) -> float | None:
    """The epsilon it was given or says it has."""
    held = [word for value in extra.values() if isinstance(value, dict) for word in value["config"]]
    if "eps" in made.built.meant or any(mean(name, ["eps"]) for name in (*extra, *held)):
        return EPS
    return next(
        (float(v) for n, v in made.numbers.items() if mean(n, ["eps"]) and isinstance(v, float)), None
    )


def read(
    weights: dict[str, np.ndarray], told: float | None, width: int, *, optional: bool, said: dict[str, str]
) -> list[WeightMap]:
    """Gain and bias as the person says, by name, else by order; under each usual epsilon, and a share of the one asked for."""
    flat = {name: value.reshape(-1) for name, value in weights.items() if value.size == width}
    gain = said.get("gain") or next((n for n in flat if GAIN.search(n.rpartition(".")[2])), None)
    bias = said.get("bias") or next((n for n in flat if BIAS.search(n.rpartition(".")[2])), None)
    for name in filter(None, (gain, bias)):
        if name not in flat:
            raise Unfit(
                "unknown-weight",
                f"no weight of width {width} is called '{name}'",
                f"the weights are {', '.join(flat) or 'none'}",
            )
    rest = [name for name in flat if name not in (gain, bias)]
    gain = gain or (rest.pop(0) if rest else None)
    bias = bias or (rest.pop(0) if rest else None)
    if gain is None and not optional:
        raise Unfit(
            "gain-missing",
            "the layer has no weight of the input's width",
            "self.weight = nn.Parameter(torch.ones(width)), and multiply by it",
        )
    roles = {"gain": flat[gain] if gain else np.ones(width), "bias": flat[bias] if bias else np.zeros(width)}
    notes = (
        ", ".join(f"{role} = {name}" for role, name in (("gain", gain), ("bias", bias)) if name)
        or "no weights",
    )
    asked = told if told is not None else EPS
    # Added to the sum of the squares and not to their mean, an epsilon counts for that much less.
    beside = {asked: (), asked / width: ("eps-placement",)}
    values = [asked, *(value for value in VALUES if value != asked), asked / width]
    return [
        WeightMap(
            weights=roles,
            facts={"eps": value},
            conventions=beside.get(value, ("eps-value",)) if told is not None else (),
            notes=(*notes, f"epsilon = {value:.3g}"),
        )
        for value in values
    ]


def alone(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Each token is normalised by itself."""
    case = usual(subject, rng)
    x = case["x"].copy()
    x[0, 1] += 3.0
    before, after = subject.answer(case), subject.answer(Case(name=case.name, inputs={"x": x}))
    before[0, 1] = after[0, 1] = 0.0
    moved = laws.gap(before, after)
    if moved <= laws.MOVES[subject.kind]:
        return None
    return Broken(
        number=moved, words=f"changing one token moves the outputs of others by {moved:.3g} of their size"
    )


def flat(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """A row of zeros stays finite."""
    answer = subject.answer(Case(name="zeros", inputs={"x": np.zeros((2, 3, subject.facts["width"]))}))
    if np.isfinite(answer).all():
        return None
    return Broken(
        number=1.0,
        words="a row of zeros gives NaN or infinity",
        slug="eps-missing",
        instead=("eps-placement", "eps-value"),
    )


def starting(reference: Callable[[Case, WeightMap, Steps], np.ndarray]) -> Law:
    """A fresh layer has the gain one."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        start = subject.facts.get("start")
        if not start or not all((value == 1).all() or (value == 0).all() for value in start.values()):
            return None
        case, width = usual(subject, rng), subject.facts["width"]
        subject.set(start)
        try:
            answer = subject.answer(case)
        finally:
            subject.set(subject.facts["drawn"])
        plain = WeightMap(
            weights={"gain": np.ones(width), "bias": np.zeros(width)}, facts=subject.frame.facts
        )
        expected = reference(case, plain, {})
        if laws.gap(2 * expected, answer) > 1e-4:
            return None
        return Broken(
            number=1.0,
            words="with its weights as they start, the layer gives twice the normalised rows",
            slug="gain-plus-one-at-one",
            instead=("gain-plus-one",),
        )

    return Law(name="size", says="a fresh layer does not double what it normalises", test=test)


def scaling(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Ten times the input gives the same output."""
    case = batch(rng, subject.facts["width"], size=5.0)
    moved = laws.gap(subject.answer(case), subject.answer(Case(name=case.name, inputs={"x": 10 * case["x"]})))
    if moved <= 1e-3:
        return None
    return Broken(number=moved, words=f"ten times the input changes the output by {moved:.3g} of its size")
