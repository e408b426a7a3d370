"""Laws of how a layer is kept and used: weights that an optimiser finds, a start that can learn, every mode and precision."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from regard.checker.contract import Broken, Case, Law, Mistake
from regard.checker.laws import MOVES, gap, running
from regard.checker.process.session import Raised
from regard.checker.roles import role
from regard.checker.subject import Subject

ROUNDED = {"float32": 0.01, "float16": 0.1, "bfloat16": 0.1}
"How far an answer in a lower precision may be off, as a share of the largest number."
SHARED = re.compile(r"shared?\b|sharing|tied?\b|tying|same (weight|matrix|projection|map)|siamese", re.I)
"Words of those who mean one weight to serve several times."

RATELESS = re.compile(r"\bdropout\(\s*\w+\s*(,\s*training\b[^,)]*)?\)|\bDropout\(\s*\)")
"A dropout to which no rate is given, so that it takes one half."

SEEDS, OFF = 120, 3.0
"Answers in train(), and the mean square of their errors, in standard errors, that is no chance."

Asked = Callable[[Subject, np.random.Generator], Case]

OWNED = (
    Mistake(
        slug="weights-unregistered",
        cause="some weights are not registered: parameters() does not have them, so they are never trained, moved or saved",
        remedy="nn.Parameter for a tensor, nn.ModuleList or nn.ModuleDict for several layers",
    ),
    Mistake(
        slug="weights-shared",
        cause="one and the same weight serves where each place should have its own",
        remedy="make each layer anew: [nn.Linear(c, c) for _ in range(3)], not [nn.Linear(c, c)] * 3",
    ),
    Mistake(
        slug="weights-at-zero",
        cause="weights start at zero where nothing can be learned from there",
        remedy="start them at random (nn.Linear does; nn.init.xavier_uniform_), a gain at one",
        weak=True,
    ),
    Mistake(
        slug="weights-alike",
        cause="all numbers of a matrix start alike: its channels are copies of each other, and gradients keep them so",
        remedy="start them at random (nn.Linear does; nn.init.xavier_uniform_)",
        weak=True,
    ),
    Mistake(
        slug="weights-unfilled",
        cause="weights are never given numbers: they start as whatever lay in memory",
        remedy="fill what torch.empty gives: nn.init.xavier_uniform_, or torch.randn, torch.ones, torch.zeros in its place",
        weak=True,
    ),
)
"Mistakes of what has weights."
USED = (
    Mistake(
        slug="training-only",
        cause="in train() it is another function than in eval(), beyond dropout",
        remedy="let self.training decide about dropout and nothing else",
        look="training",
    ),
    Mistake(
        slug="half-precision",
        cause="in a lower precision it is another function, beyond rounding",
        remedy="compute the same in every precision",
        look="precision",
    ),
    Mistake(
        slug="rounded-inside",
        cause="inside, numbers are rounded to a lower precision than the input has, so that digits are lost",
        remedy="compute in the precision of the input: leave out .half(), .bfloat16() and .to(torch.float16)",
        look="precision",
    ),
    Mistake(
        slug="size-dependent",
        cause="beyond some size it is another function",
        remedy="take every size from the input, not from a constant",
    ),
)
"Mistakes of anything that can be called."
MISTAKES = (*OWNED, *USED)


BESIDE = {
    "moments-cancel",
    "underflow",
    "shares-underflow",
    "softmax-unstable",
    "half-precision",
    "training-only",
    "dropout-elsewhere",
    "weights-unregistered",
    "weights-shared",
    "weights-at-zero",
    "weights-alike",
    "weights-unfilled",
    "rounded-inside",
}
"Mistakes that do not say why an answer of the usual size, in eval(), is another."
LOST = 0.02
"How far the answers of what rounds inside may be off by that alone."


def explained(named: set[str], gap: float) -> bool:
    """Whether what else is off is off by the digits that a rounding inside loses.

    >>> explained({"rounded-inside"}, 1e-3), explained({"rounded-inside"}, 0.5)
    (True, False)
    """
    return "rounded-inside" in named and gap < LOST


def owned(case: Asked) -> tuple[Law, ...]:
    """The laws of anything that has weights."""
    return (
        Law(
            name="registered",
            says="parameters() has every weight",
            test=lambda s, rng: registered(s, rng, case),
        ),
        Law(name="unshared", says="every place has a weight of its own", test=unshared),
    )


def kept(case: Asked, masked: Asked | None = None) -> tuple[Law, ...]:
    """The laws of a layer with weights; `masked` has a mask, where it takes one."""
    return (
        *owned(case),
        Law(name="start", says="a fresh layer can learn", test=lambda s, rng: started(s, rng, case)),
        *modes(case, masked),
    )


def modes(case: Asked, masked: Asked | None = None) -> tuple[Law, ...]:
    """The laws of anything that can be called."""
    return (
        Law(
            name="modes",
            says="train() changes nothing but dropout",
            test=lambda s, rng: trained(s, rng, case),
            look="training",
        ),
        Law(
            name="half",
            says="a lower precision only rounds",
            test=lambda s, rng: halved(s, rng, case) or (halved(s, rng, masked) if masked else None),
            look="precision",
        ),
    )


BIAS = re.compile(r"bias|(^|\.)[bB]_?[a-zA-Z0-9]?$")
"Names of biases, also b_q and b1: they may start at zero."


def registered(subject: Subject, rng: np.random.Generator, case: Asked) -> Broken | None:
    """Every weight is among parameters()."""
    if frozen := _frozen(subject):
        words = f"{', '.join(frozen)}: requires_grad=False, and no method hands them over or changes them"
        return Broken(number=float(len(frozen)), words=words, slug="weights-unregistered")
    found = subject.made.stray or list(_used(subject, rng, case))
    if not found:
        return None
    words = f"{', '.join(found[:4])}{' and others' if len(found) > 4 else ''}: not among parameters()"
    return Broken(number=float(len(found)), words=words, slug="weights-unregistered")


def _frozen(subject: Subject) -> list[str]:
    """Weights of an object that is no module, which its own source keeps from gradients and no method of it trains."""
    bench, made = subject.bench, subject.made
    if made.module or bench.made is not None or bench.member["kind"] != "class":
        return []
    node = bench.source.member(bench.name)
    methods = {n.name: n for n in ast.walk(node) if isinstance(n, ast.FunctionDef)}
    others = [n for word, n in methods.items() if word not in ("__init__", "forward", "__call__")]
    changes = any(
        isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for m in others for n in ast.walk(m)
    )
    if (
        "__init__" not in methods
        or changes
        or any(re.search(r"param|weights|state", word) for word in methods)
    ):
        return []
    kept = [n for n in ast.walk(methods["__init__"]) if isinstance(n, ast.Assign)]
    return [
        target.attr
        for n in kept
        for target in n.targets
        if isinstance(target, ast.Attribute)
        and target.attr in made.learned
        and re.search(r"requires_grad\s*=\s*False", ast.unparse(n.value))
    ]


def _used(subject: Subject, rng: np.random.Generator, case: Asked) -> Iterator[str]:
    """Vectors of zeros or ones, not registered, on which the answer depends: a bias or a gain that is never learned."""
    if subject.bench.made is not None or subject.fresh or subject.facts.get("unsteady"):
        return
    # Copies: an object that lives in this process shares its memory.
    for name, value in [(name, value.copy()) for name, value in subject.made.still.items()]:
        probe = case(subject, rng)
        before = subject.answer(probe)
        subject.set({name: value + rng.uniform(0.5, 1.5, value.shape)})
        after = subject.answer(probe)
        subject.set({name: value})
        if (
            gap(before, after) > MOVES[subject.kind]
            and gap(subject.answer(probe), before) <= MOVES[subject.kind]
        ):
            yield name


def unshared(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """No weight stands in two places, unless somebody says that it should."""
    found = [names for names in subject.made.same if not all("bias" in name for name in names)]
    if not found or SHARED.search(subject.bench.source.said(subject.bench.name)):
        return None
    words = f"{' and '.join(found[0][:4])} are one weight"
    return Broken(number=float(len(found)), words=words, slug="weights-shared")


def started(subject: Subject, rng: np.random.Generator, case: Asked) -> Broken | None:
    """With the weights of a fresh object the answer depends on the input, and queries and keys have gradients."""
    made = subject.made
    start = {name: made.weights[name] for name in made.learned}
    if made.empty:
        words = f"{', '.join(made.empty[:4])}: made where new memory is full of NaN, they hold NaN"
        return Broken(number=float(len(made.empty)), words=words, slug="weights-unfilled", weak=True)
    if made.module and subject.bench.made is None and (copies := _copies(start)):
        words = f"{', '.join(copies[:4])} start at one number each: every channel is a copy of the others, and every head"
        return Broken(number=float(len(copies)), words=words, slug="weights-alike", weak=True)
    zero = [name for name, value in start.items() if not value.any() and not BIAS.search(name)]
    if not made.module or not zero or subject.bench.made is not None:
        return None
    if {"q", "k"} <= {role(name) for name in zero} or "qkv" in {role(name) for name in zero}:
        words = f"{', '.join(zero[:4])} start at zero: queries and keys are then zero, and neither gets a gradient"
        return Broken(number=float(len(zero)), words=words, slug="weights-at-zero", weak=True)
    subject.set(start)
    try:
        one, two = (subject.answer(case(subject, rng)) for _ in range(2))
    except Raised:
        return None
    finally:
        subject.set(subject.facts["drawn"])
    if one.shape != two.shape or gap(one, two) > MOVES[subject.kind]:
        return None
    words = f"{', '.join(zero[:4])} start at zero: a fresh layer answers the same whatever it is given"
    return Broken(number=float(len(zero)), words=words, slug="weights-at-zero", weak=True)


def _copies(start: dict[str, np.ndarray]) -> list[str]:
    """Matrices that hold one number alone, not zero: those of queries or keys, or all that there are.

    >>> _copies({"q.weight": np.full((2, 2), 0.5), "v.weight": np.eye(2)}), _copies({"w": np.ones((2, 2)), "u": np.eye(2)})
    (['q.weight'], [])
    """
    whole = {
        name: value
        for name, value in start.items()
        if min(value.shape[-2:], default=0) > 1 and value.ndim > 1
    }
    found = [name for name, value in whole.items() if value.any() and np.ptp(value) == 0]
    first = any(role(name) in ("q", "k", "qk", "qkv") for name in found)
    return found if first or len(found) == len(whole) else []


def trained(subject: Subject, rng: np.random.Generator, case: Asked) -> Broken | None:
    """Without dropout, train() and eval() give the same."""
    bench, made = subject.bench, subject.made
    if not made.module or subject.fresh or bench.made is not None or subject.facts.get("unsteady"):
        return None
    probe = case(subject, rng)
    try:
        other = replace(subject, made=bench.calm(made))
        bench.line.ask("cast", other.made.number, subject.kind)
        drawn = {name: value for name, value in subject.facts["drawn"].items() if name in made.learned}
        other.set(drawn | running(subject))
        calm = other.answer(probe)
        other.training(True)
        other.answer(case(subject, rng))  # another input before: what remembers shows
        one, again, two = (other.answer(probe, seed=seed) for seed in (1, 1, 2))
        other.training(False)
        other.set(running(subject))
        after = other.answer(probe)
    except Raised:
        return None
    if gap(one, again) > MOVES[subject.kind] and "Generator" not in bench.source.text:
        words = f"in train(), the same input asked twice gives answers that differ by {gap(one, again):.3g} of their size"
        return Broken(number=gap(one, again), words=words, slug="training-only", weak=True)
    if gap(calm, after) > MOVES[subject.kind]:
        words = f"after calls in train() the same input gives in eval() what differs by {gap(calm, after):.3g} of its size"
        return Broken(number=gap(calm, after), words=words, slug="training-only", weak=True)
    moved, chance = gap(calm, one), gap(one, two)
    rateless = RATELESS.search(bench.source.text_of(bench.name))
    if chance > MOVES[subject.kind] and "dropout" in made.built.meant and rateless:
        words = f"made without dropout, two calls in train() differ by {chance:.3g} of the output's size"
        return Broken(number=chance, words=words)
    if chance > MOVES[subject.kind] or moved <= MOVES[subject.kind] or running(subject):
        return None  # chance that the constructor does not set, a batch norm, or nothing at all
    words = f"without dropout, the same input gives in train() what differs by {moved:.3g} of its size from eval()"
    return Broken(number=moved, words=words, slug="training-only", weak=True)


def averaged(case: Asked) -> Law:
    """Dropout of weights and outputs leaves the average of many answers in train() at the answer in eval()."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        made = subject.made
        idle = subject.fresh or subject.facts.get("unsteady") or "gain" in subject.frame.weights
        if not made.module or idle or subject.bench.made is not None or "dropout" not in made.built.meant:
            return None
        probe = case(subject, rng)
        calm = subject.answer(probe)
        subject.training(True)
        try:
            found = np.stack([subject.answer(probe, seed=seed) for seed in range(SEEDS)])
        except Raised:
            return None
        finally:
            subject.training(False)
        if found.shape[1:] != calm.shape:
            return None
        if not np.isfinite(found).all():
            words = "in train() some of the output is NaN or infinite, in eval() none"
            lost = Broken(number=np.inf, words=words, slug="dropout-elsewhere", weak=True)
            return lost if np.isfinite(calm).all() else None
        if trained(subject, rng, case):
            return None  # it is not dropout that makes train() another function
        error = found.std(0, ddof=1) / np.sqrt(SEEDS)
        moves = error > MOVES[subject.kind] * np.abs(calm).max()
        if not moves.any():
            return None
        off = float((((found.mean(0) - calm)[moves] / error[moves]) ** 2).mean())
        if off <= OFF:
            return None
        words = f"the mean of {SEEDS} answers in train() is {np.sqrt(off):.1f} standard errors off the answer in eval()"
        return Broken(number=off, words=words, slug="dropout-elsewhere", weak=True)

    says = "dropout leaves the average answer as it is"
    return Law(name="average", says=says, test=test, look="dropout")


def halved(subject: Subject, rng: np.random.Generator, case: Asked) -> Broken | None:
    """In float32, float16 and bfloat16, small inputs give what they give otherwise, but for rounding."""
    if not subject.real or subject.bench.made is not None or subject.facts.get("unsteady"):
        return None
    probe = case(subject, rng)
    try:
        calm = replace(subject, fresh=True).answer(probe)
    except Raised:
        calm = subject.answer(probe)  # what has no weights before its first call
    for kind, allowed in ROUNDED.items():
        try:
            found = replace(subject, fresh=True, made=replace(subject.made, kind=kind)).answer(probe)
        except Raised:
            continue  # what torch has not in this precision
        off = gap(calm, found)
        if np.isfinite(found).all() and np.isfinite(calm).all() and off > allowed:
            words = f"{kind} differs by {off:.2g} of its size"
            return Broken(number=off, words=words, slug="half-precision", weak=True)
    return _rounding(subject, probe)


def _rounding(subject: Subject, probe: Case) -> Broken | None:
    """A call in a lower precision leaves the weights as they are."""
    line, number = subject.bench.line, subject.made.number
    if not subject.made.module or subject.made.lazy:
        return None

    def held() -> dict[str, np.ndarray]:
        found = line.ask("about", number)["weights"]
        return {name: found[name] for name in subject.made.learned if name in found}

    before = held()
    for kind in ROUNDED:
        try:
            replace(subject, made=replace(subject.made, kind=kind)).answer(probe)
        except Raised:
            continue  # what asks for inputs in its own precision
    after = held()
    lost = [n for n in before if n in after and not np.array_equal(before[n], after[n])]
    if not lost:
        return None
    line.ask("cast", number, subject.kind)
    subject.set({name: before[name] for name in lost})
    words = (
        f"a call with an input in a lower precision rounds {', '.join(lost[:3])} for every call that follows"
    )
    return Broken(number=float(len(lost)), words=words, slug="state-between-calls")
