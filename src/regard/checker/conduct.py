"""Laws of how a layer is kept and used: weights that an optimiser finds, a start that can learn, every mode and precision."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from regard.checker.contract import Broken, Case, Law, Mistake
from regard.checker.laws import MOVES, gap
from regard.checker.process.session import Raised
from regard.checker.roles import role
from regard.checker.subject import Subject

ROUNDED = {"float32": 0.01, "float16": 0.1, "bfloat16": 0.1}
"How far an answer in a lower precision may be off, as a share of the largest number."
SHARED = re.compile(r"shared?\b|sharing|tied?\b|tying|same (weight|matrix|projection|map)|siamese", re.I)
"Words of those who mean one weight to serve several times."

RATELESS = re.compile(r"\bdropout\(\s*\w+\s*(,\s*training\b[^,)]*)?\)|\bDropout\(\s*\)")
"A dropout to which no rate is given, so that it takes one half."

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


def kept(case: Asked) -> tuple[Law, ...]:
    """The laws of a layer with weights."""
    return (
        *owned(case),
        Law(name="start", says="a fresh layer can learn", test=lambda s, rng: started(s, rng, case)),
        *modes(case),
    )


def modes(case: Asked) -> tuple[Law, ...]:
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
            test=lambda s, rng: halved(s, rng, case),
            look="precision",
        ),
    )


BIAS = re.compile(r"bias|(^|\.)[bB]_?[a-zA-Z0-9]?$")
"Names of biases, also b_q and b1: they may start at zero."


def registered(subject: Subject, rng: np.random.Generator, case: Asked) -> Broken | None:
    """Every weight is among parameters()."""
    found = subject.made.stray or list(_used(subject, rng, case))
    if not found:
        return None
    words = f"{', '.join(found[:4])}{' and others' if len(found) > 4 else ''}: not among parameters()"
    return Broken(number=float(len(found)), words=words, slug="weights-unregistered")


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


def trained(subject: Subject, rng: np.random.Generator, case: Asked) -> Broken | None:
    """Without dropout, train() and eval() give the same."""
    bench, made = subject.bench, subject.made
    if not made.module or subject.fresh or bench.made is not None or subject.facts.get("unsteady"):
        return None
    probe = case(subject, rng)
    try:
        other = replace(subject, made=bench.calm(made))
        bench.line.ask("cast", other.made.number, subject.kind)
        other.set({name: value for name, value in subject.facts["drawn"].items() if name in made.learned})
        calm = other.answer(probe)
        other.training(True)
        one, two = (other.answer(probe, seed=seed) for seed in (1, 2))
    except Raised:
        return None
    moved, chance = gap(calm, one), gap(one, two)
    rateless = RATELESS.search(bench.source.text_of(bench.name))
    if chance > MOVES[subject.kind] and "dropout" in made.built.meant and rateless:
        words = f"made without dropout, two calls in train() differ by {chance:.3g} of the output's size"
        return Broken(number=chance, words=words)
    if chance > MOVES[subject.kind] or moved <= MOVES[subject.kind]:
        return None  # chance that the constructor does not set, or nothing at all
    words = f"without dropout, the same input gives in train() what differs by {moved:.3g} of its size from eval()"
    return Broken(number=moved, words=words, slug="training-only", weak=True)


def halved(subject: Subject, rng: np.random.Generator, case: Asked) -> Broken | None:
    """In float32, float16 and bfloat16, small inputs give what they give otherwise, but for rounding."""
    if not subject.real or subject.bench.made is not None or subject.facts.get("unsteady"):
        return None
    probe = case(subject, rng)
    calm = subject.answer(probe)
    for kind, allowed in ROUNDED.items():
        try:
            found = replace(subject, fresh=True, made=replace(subject.made, kind=kind)).answer(probe)
        except Raised:
            continue  # what torch has not in this precision
        off = gap(calm, found)
        if np.isfinite(found).all() and np.isfinite(calm).all() and off > allowed:
            words = f"{kind} differs by {off:.2g} of its size"
            return Broken(number=off, words=words, slug="half-precision", weak=True)
    return None
