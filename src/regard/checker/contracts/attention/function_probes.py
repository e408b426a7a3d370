"""Cases and laws of attention as a function: what its weights sum to, what it may not see, which sizes it takes."""

import re
from dataclasses import replace

import numpy as np

from regard.checker import laws
from regard.checker.contract import Broken, Case, ComputationStage
from regard.checker.contracts.attention.reference import softmax
from regard.checker.process.session import Raised
from regard.checker.subject import Subject, larger
from regard.checker.workbench import Unfit

LAYOUTS = ("n m", "b n m", "b 1 n m", "b m", "b h n m", "h n m", "b 1 1 m", "b 1 m")
"Shapes of a mask over queries and keys; without n it says the same to all queries."
SMALL = 0.02
"The size of queries and keys at which a mask must hide as well as at others."
MANY = 41
"Keys beside three queries, or queries beside three keys."
COUNTS = ("b n", "b")
"Shapes of the numbers of keys that may be seen, in place of a mask."
BATCHES = {"b", "h"}
"Axes that a mask can have only where there is a batch."


def asked(
    rng: np.random.Generator, shape: tuple, *, masked: bool, size: float = 1.5, layout: str = "n m"
) -> Case:
    """Random queries, keys and values; every query sees at least one key, and no two see the same.

    A mask differs along the axes that its layout has, and so between samples only where it can.
    """
    lead, n, m, d, c = shape
    draw, axes = rng.standard_normal, layout.split()
    own = [count if axis in axes else 1 for axis, count in zip("bh", lead, strict=False)]
    mask = np.stack([_free(rng, n, m, layout) for _ in range(int(np.prod(own)))])
    mask = mask.reshape(*(own if BATCHES & set(axes) else ()), n, m)
    inputs: dict[str, np.ndarray] = {
        "query": draw((*lead, n, d)) * size,
        "key": draw((*lead, m, d)) * size,
        "value": draw((*lead, m, c)),
    }
    inputs["mask"] = mask if masked else np.ones_like(mask)
    sizes = f"{n} queries, {m} keys{', masked' if masked else ''}"
    return Case(name=sizes, inputs=inputs, facts={"masked": masked, "layout": layout})


def _free(rng: np.random.Generator, n: int, m: int, layout: str) -> np.ndarray:
    """A mask (n, m); the same for all queries, or as many keys from the first on, where the layout asks for that."""
    if layout in COUNTS:
        mask = np.arange(m) < rng.integers(1, m - 1, (n, 1))
    else:
        mask = rng.random((n, m)) < 0.5
        mask[np.arange(min(n, m)), np.arange(min(n, m))[::-1] - 1] = False
        mask[np.arange(n), (np.arange(n) * 3 + 1) % m] = True
    return mask if "n" in layout.split() else np.repeat(mask[:1], n, axis=0)


def laid(mask: np.ndarray, layout: str) -> np.ndarray:
    """A mask (…, n, m) with the axes of a layout, or the numbers of keys that it shows.

    >>> laid(np.ones((2, 1, 7, 5), bool), "b 1 m").shape, laid(np.ones((2, 7, 5), bool), "b n").shape
    ((2, 1, 5), (2, 7))
    """
    axes, (n, m) = layout.split(), mask.shape[-2:]
    lead = (*mask.shape[:-2], 1, 1)[:2]
    whole = mask.reshape(*lead, n, m)
    if layout in COUNTS:
        whole = whole.sum(-1, keepdims=True)
        axes = [*axes, "m"]
    shown = whole[tuple(slice(None) if axis in axes else 0 for axis in "bhnm")]
    sizes = iter(shown.shape)
    found = shown.reshape([1 if axis == "1" else next(sizes) for axis in axes])
    return found[..., 0] if layout in COUNTS else found


def cases(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """Without a mask, and with one where there is one."""
    shape = subject.facts["shape"]
    plain = [
        asked(rng, shape, masked=False, layout=subject.facts["layout"]),
        asked(
            rng,
            (shape[0], 3, shape[2] if shape[1] != shape[2] else 3, *shape[3:]),
            masked=False,
            layout=subject.facts["layout"],
        ),
    ]
    return [masked(subject, rng), *plain] if subject.facts["mask"] else plain


def masked(subject: Subject, rng: np.random.Generator) -> Case:
    """A case with a mask, if it takes one, of the kind that it takes."""
    facts = subject.facts
    return asked(rng, facts["shape"], masked=bool(facts["mask"]), layout=facts["layout"])


def otherwise(subject: Subject, rng: np.random.Generator) -> Case:
    """A case of the same sizes with another mask."""
    case = masked(subject, rng)
    return replace(case, inputs=case.inputs | {"mask": np.roll(case["mask"], 1, axis=-1)})


def growing(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """More samples, then more and more queries and keys; then masks of every other shape that it takes."""
    (lead, n, m, d, c), hides, layout = (
        subject.facts["shape"],
        bool(subject.facts["mask"]),
        subject.facts["layout"],
    )
    batches = [1, *larger(subject, rng, 4, 14)[:5]] if lead else []
    sizes = [((count, *lead[1:]), n, m) for count in batches]
    sizes += [(lead, count, count if n == m else count + 3) for count in larger(subject, rng)]
    sizes += [] if n == m else [(lead, 3, MANY), (lead, MANY, 3)]
    grown = [asked(rng, (*size, d, c), masked=hides, layout=layout) for size in sizes]
    # Without a mask too: where queries and keys are equally many, nobody asked for the past alone.
    square = asked(rng, (lead, n, n, d, c), masked=False, layout=layout)
    grown += [] if n == m else [replace(square, facts=square.facts | {"breaks": ""})]
    small = asked(rng, subject.facts["shape"], masked=hides, layout=layout, size=SMALL)
    small = replace(small, name=f"small queries and keys, {small.name}", facts=small.facts | {"breaks": ""})
    return [*grown, small, *_square(subject, rng), *_otherwise(subject, rng), *_wished(subject, rng)]


def _square(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """A mask that is no triangle, over as many keys as queries: its two axes may be taken for each other."""
    (lead, n, m, d, c), facts = subject.facts["shape"], subject.facts
    if n == m or not facts["mask"] or "n" not in facts["layout"].split():
        return []
    case = asked(rng, (lead, n, n, d, c), masked=True, layout=facts["layout"])
    return [replace(case, facts=case.facts | {"breaks": "mask-shape"})]


def _wished(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """Cases in which an argument asks for the future to be hidden, or for another scale, given as what they come to."""
    lead, n, _, d, c = subject.facts["shape"]
    known, found = subject.facts.get("asked", {}), []
    plain = asked(rng, (lead, n, n, d, c), masked=False)
    if "causal" in known:
        facts = {"masked": True, "named": {known["causal"]: True}, "breaks": ""}
        inputs = plain.inputs | {"mask": np.tril(np.ones((n, n), bool))}
        found.append(Case(name=f"{plain.name}, {known['causal']}=True", inputs=inputs, facts=facts))
    if (subject.facts["mask"] or "").endswith("bias"):
        layout, name = subject.facts["layout"], subject.facts["mask"]
        case = asked(rng, subject.facts["shape"], masked=True, layout=layout)
        bias = rng.standard_normal(case["mask"].shape)
        facts = {"masked": True, "named": {name: laid(bias, layout)}, "breaks": ""}
        found.append(
            Case(name=f"{case.name}, any numbers as {name}", inputs=case.inputs | {"mask": bias}, facts=facts)
        )
    if "scale" in known:
        facts = {"masked": False, "named": {known["scale"]: 2 * d**-0.5}, "times": 0.5, "breaks": ""}
        found.append(Case(name=f"{plain.name}, {known['scale']} doubled", inputs=plain.inputs, facts=facts))
    return found


def _otherwise(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """Masks of every other shape that runs and gives an output of the right one."""
    facts, found = subject.facts, []
    (lead, n, *_, c), known = facts["shape"], COUNTS if facts["counts"] else LAYOUTS
    for layout in known if facts["mask"] and lead else ():
        if layout == "h n m" and "b n m" in (facts["layout"], *(case.facts["layout"] for case in found)):
            continue  # three axes begin with the samples there
        case = asked(rng, facts["shape"], masked=True, layout=layout)
        case = replace(case, name=f"{case.name} by ({layout})", facts=case.facts | {"breaks": "mask-shape"})
        try:
            if layout != facts["layout"] and subject.answer(case).shape == (*lead, n, c):
                found.append(case)
        except (Raised, Unfit):
            continue
    return found


def usual(subject: Subject, rng: np.random.Generator, size: float = 1.5) -> Case:
    """A case of the usual size."""
    return asked(rng, subject.facts["shape"], masked=False, size=size, layout=subject.facts["layout"])


def equal(subject: Subject, rng: np.random.Generator) -> Case:
    """Keys that are all the same: then no score matters."""
    case = usual(subject, rng)
    keys = np.repeat(case["key"][..., :1, :], case["key"].shape[-2], axis=-2)
    return Case(name="equal keys", inputs=case.inputs | {"key": keys}, facts=case.facts)


STAGES = (
    ComputationStage(where="with equal keys, where all weights are equal", case=equal),
    ComputationStage(where="with different keys and no mask", case=usual),
    ComputationStage(
        where="with a mask",
        case=masked,
    ),
)


def ones(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Values that are all one come out as one: the weights of a query sum to one."""
    case = usual(subject, rng)
    answer = subject.answer(
        Case(name=case.name, inputs=case.inputs | {"value": np.ones_like(case["value"])}, facts=case.facts)
    )
    off = laws.gap(np.ones_like(answer), answer)
    if off <= laws.MOVES[subject.kind]:
        return None
    at = tuple(int(i) for i in np.unravel_index(np.abs(answer - 1).argmax(), answer.shape))
    return Broken(number=off, words=f"values that are all 1 give {answer[at]:.4g} at {list(at)}")


def thinned(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """While dropout acts on the weights, values that are all one come out as more or less than one."""
    made = subject.made
    if not made.module or "dropout" not in made.built.meant or subject.facts.get("unsteady"):
        return None
    case = usual(subject, rng)
    ones = replace(case, inputs=case.inputs | {"value": np.ones_like(case["value"])})
    subject.training(True)
    try:
        one, two = (subject.answer(case, seed=seed) for seed in (1, 2))
        sums = subject.answer(ones, seed=1)
    finally:
        subject.training(False)
    whole = np.isclose(sums, 1, atol=laws.MOVES[subject.kind], rtol=0)
    empty = ~np.isfinite(sums) | (sums == 0)
    if laws.gap(one, two) <= laws.MOVES[subject.kind] or not (whole | empty).all():
        return None
    words = f"in train(), values that are all 1 come out as {'1 or NaN' if np.isnan(sums).any() else '1'}, whatever is dropped"
    return Broken(number=float(whole.mean()), words=words, slug="dropout-elsewhere", weak=True)


def order(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """The order of the keys does not matter."""
    case = usual(subject, rng)
    turn = rng.permutation(case["key"].shape[-2])
    inputs = case.inputs | {"key": case["key"][..., turn, :], "value": case["value"][..., turn, :]}
    moved = laws.gap(
        subject.answer(case), subject.answer(Case(name=case.name, inputs=inputs, facts=case.facts))
    )
    if moved <= laws.MOVES[subject.kind]:
        return None
    return Broken(
        number=moved, words=f"keys and values in another order move the output by {moved:.3g} of its size"
    )


def room(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Queries and keys may differ in number, keys and values in width."""
    error = subject.facts["refused"]
    if error is None:
        return None
    return Broken(
        number=np.inf,
        words=f"7 queries, 5 keys, width 8, values of width 11: {error.kind}: {error.words.splitlines()[0][:150]}",
    )


def beside(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """What comes back beside the output has a number for every query and key, as the weights have."""
    case = usual(subject, rng)
    answer = subject.raw(*subject.enter(case))
    if not (isinstance(answer, list) and len(answer) == 2 and all(isinstance(a, np.ndarray) for a in answer)):
        return None
    sizes = case["query"].shape[-2], case["key"].shape[-2]
    if case["value"].shape[-1] == sizes[1]:
        return None
    if weights := [a for a in answer if a.shape[-2:] == sizes]:
        off = float(np.abs(weights[0].sum(-1) - 1).max())
        source = subject.bench.source
        words = source.said(subject.bench.name).removeprefix(source.file)
        meant = re.search(r"score|logit|energ|similarit", words, re.I)
        if off <= laws.MOVES[subject.kind] or meant:
            return None
        if _scores(weights[0], case, answer):
            words = f"a row of it sums to {float(weights[0].sum(-1).flat[0]):.3g}, and its softmax gives the output"
            return Broken(number=off, words=words, slug="scores-beside")
        return Broken(number=off, words="what comes beside the output are no weights: a row of them sums to "
                      f"{float(weights[0].sum(-1).flat[0]):.3g}, not to 1")  # fmt: skip
    words = f"for {sizes[0]} queries and {sizes[1]} keys it returns {answer[0].shape} and {answer[1].shape}"
    return Broken(number=1.0, words=words)


def _scores(beside: np.ndarray, case: Case, answer: list[np.ndarray]) -> bool:
    """Whether a softmax of what comes beside the output gives the output."""
    if beside.shape[:-2] != case["value"].shape[:-2]:
        return False
    found = softmax(beside) @ case["value"]
    return any(a.shape == found.shape and laws.gap(a, found) <= laws.MOVES["float32"] for a in answer)


def hidden(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """What a query may not see does not move its output."""
    if not subject.facts["mask"]:
        return None
    case = masked(subject, rng)
    mask = case["mask"].copy()
    mask[..., 0] = False
    mask[..., 1] = True
    place = 0
    if subject.facts["counts"]:
        place = mask.shape[-1] - 1
        mask[..., :place], mask[..., place] = True, False
    case = Case(name=case.name, inputs=case.inputs | {"mask": mask}, facts=case.facts)
    key, value = case["key"].copy(), case["value"].copy()
    key[..., place, :], value[..., place, :] = rng.standard_normal((2, *key[..., place, :].shape))[0], 3.0
    moved = laws.gap(
        subject.answer(case),
        subject.answer(
            Case(name=case.name, inputs=case.inputs | {"key": key, "value": value}, facts=case.facts)
        ),
    )
    if moved <= laws.MOVES[subject.kind]:
        return None
    return Broken(
        number=moved,
        words=f"changing key {place}, which no query may see, moves the output by {moved:.3g} of its size",
    )


def nothing_seen(subject: Subject, rng: np.random.Generator) -> str | None:
    """What a query does that may see nothing."""
    if not subject.facts["mask"] or subject.facts["counts"] or "n" not in subject.facts["layout"].split():
        return None
    case = masked(subject, rng)
    mask = case["mask"].copy()
    mask[..., 0, :] = False
    answer = subject.answer(Case(name=case.name, inputs=case.inputs | {"mask": mask}, facts=case.facts))
    return None if np.isfinite(answer).all() else "masked-row-nan"
