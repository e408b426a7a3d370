"""What masked attention is asked: sequences with hidden keys, and the laws that their answers must keep."""

from dataclasses import replace
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.contract import Broken, Case, ComputationStage
from regard.checker.contracts.attention.function_probes import MANY, SMALL, laid
from regard.checker.contracts.attention.layer import BATCH, KEYS, SEQUENCE
from regard.checker.process.session import Raised
from regard.checker.subject import Arguments, Subject, larger

LAYOUTS = ("b m", "b 1 1 m", "b 1 m", "b n m", "b 1 n m", "n m", "b h n m")
"Shapes of a mask that people use, the shortest first."
TURNED = ("n m b", "1 m b", "n m b 1")
"The same where tokens come before samples."
LOUD = 30.0
"How much larger hidden tokens are made than those that are seen."
COUNTS = ("b", "b n")
"Shapes of the numbers of valid keys."


def layouts(facts: dict[str, Any]) -> tuple[str, ...]:
    """The shapes that come into question for a layer."""
    if facts.get("lengths"):
        return COUNTS
    return (*LAYOUTS, *TURNED) if facts.get("turned") else LAYOUTS


def shaped(mask: np.ndarray, layout: str, queries: int) -> np.ndarray:
    """A mask (b, 1, 1, m), or one that also differs between heads or queries, in a layout that people use."""
    b, m = mask.shape[0], mask.shape[-1]
    if layout in TURNED or layout in COUNTS:
        # No head and, where queries have no axis, no query has a mask of its own.
        flat, each = mask[:, 0, 0], np.broadcast_to(mask[:, 0], (b, queries, m)).transpose(1, 2, 0).copy()
        shapes = {
            "n m b": each,
            "1 m b": flat.T[None],
            "n m b 1": each[..., None],
            "b": flat.sum(-1),
            "b n": np.repeat(flat.sum(-1)[:, None], queries, axis=1),
        }
        return shapes[layout]
    return laid(np.broadcast_to(mask, (b, mask.shape[1], queries, m)), layout).copy()


def asked(
    subject: Subject,
    rng: np.random.Generator,
    *,
    masked: bool,
    size: float = 1.0,
    queries: int = SEQUENCE,
    batch: int = BATCH,
    keys: int = 0,
) -> Case:
    """Random sequences with keys that must not be seen, other ones in each sample."""
    width: int = subject.facts["width"]
    keys = keys or subject.facts["keys"]
    queries = keys if keys == SEQUENCE else queries
    query = rng.standard_normal((batch, queries, width)) * size
    key, value = (
        (rng.standard_normal((batch, keys, width)) * size for _ in range(2))
        if subject.facts["cross"]
        else (query, query)
    )
    value = key if subject.facts.get("context") else value
    mask = np.ones((batch, 1, 1, keys), bool)
    if masked and subject.facts["layout"] == "n m":
        mask[..., [1, keys - 1]] = False
    elif masked and subject.facts.get("lengths"):
        mask[0, ..., keys - 2 :] = mask[1, ..., keys - 1 :] = False
    elif masked:
        mask[0, ..., [1, keys - 1]] = False
        mask[1, ..., 0] = False
    inputs = {"query": query, "key": key, "value": value, "mask": mask}
    return Case(
        name=f"{queries} queries, {keys} keys{', some hidden' if masked else ''}",
        inputs=inputs,
        facts={"masked": masked},
    )


def masked(subject: Subject, rng: np.random.Generator) -> Case:
    """A case with a mask, if it takes one."""
    return asked(subject, rng, masked=bool(subject.facts["mask"]))


def otherwise(subject: Subject, rng: np.random.Generator) -> Case:
    """A case of the same sizes with another mask of the same shape."""
    case = masked(subject, rng)
    mask = case["mask"]
    other = np.roll(mask, 1, axis=-1) if subject.facts["layout"] == "n m" else mask[::-1].copy()
    return replace(case, inputs=case.inputs | {"mask": other})


def cases(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """With and without a mask."""
    plain = asked(subject, rng, masked=False)
    return [asked(subject, rng, masked=True), plain] if subject.facts["mask"] else [plain]


def growing(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """More samples, then more and more tokens."""
    masked = bool(subject.facts["mask"])
    # As many keys as queries: what takes one sequence has no choice.
    longer = [asked(subject, rng, masked=masked, queries=n, keys=n) for n in larger(subject, rng)]
    batches = [asked(subject, rng, masked=masked, batch=b) for b in larger(subject, rng, 4, 14)[:5]]
    sides = ((3, MANY), (MANY, 3)) if subject.facts["cross"] else ()
    uneven = [asked(subject, rng, masked=masked, queries=n, keys=m) for n, m in sides]
    small = asked(subject, rng, masked=masked, size=SMALL)
    small = replace(small, name=f"small inputs, {small.name}", facts=small.facts | {"breaks": ""})
    single = asked(subject, rng, masked=False, batch=1)
    return [
        single,
        small,
        *batches,
        *longer,
        *uneven,
        *loud(subject, rng),
        *_alone(subject, rng),
        *_last(subject, rng),
    ]


def _alone(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """Without the context, where it can be left out: then a sequence looks at itself."""
    name = subject.facts.get("context")
    if not name or any(p["name"] == name and p["required"] for p in subject.made.call):
        return []
    case = asked(subject, rng, masked=False, keys=SEQUENCE)
    x = case["query"]
    facts = case.facts | {"alone": True, "breaks": ""}
    return [replace(case, name=f"without {name}", inputs=case.inputs | {"key": x, "value": x}, facts=facts)]


def _last(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """With keys that are hidden in the last sample alone: one sample does not tell whether there is anything to hide."""
    facts = subject.facts
    if not facts["mask"] or facts.get("single") or "b" not in facts["layout"].split():
        return []
    case = asked(subject, rng, masked=True)
    mask = np.ones_like(case["mask"])
    mask[-1, ..., -1] = False
    name = case.name.replace("some hidden", "one hidden in the last sample alone")
    return [
        replace(
            case, name=name, inputs=case.inputs | {"mask": mask}, facts=case.facts | {"breaks": "mask-shape"}
        )
    ]


def varied(subject: Subject, rng: np.random.Generator, form: Any, keys: int = 0) -> Case:
    """A case whose mask differs between samples, heads and queries, as far as its layout allows; each sees a key."""
    case = asked(subject, rng, masked=True, keys=keys)
    axes = form.layout.split()
    heads = subject.facts["heads"]
    sizes = {"b": len(case["query"]), "h": heads, "n": case["query"].shape[1]}
    mask = rng.random((*(sizes[axis] if axis in axes else 1 for axis in "bhn"), case["key"].shape[1])) < 0.5
    mask[..., rng.integers(mask.shape[-1])] = True
    if "b" not in axes:
        mask = np.repeat(mask, sizes["b"], axis=0)
    return replace(
        case,
        name=f"{case.name} by {form.name} as ({form.layout})",
        inputs=case.inputs | {"mask": mask},
        facts=case.facts | {"form": form, "breaks": "mask-shape"},
    )


def usual(subject: Subject, rng: np.random.Generator) -> Case:
    """A case of the usual size."""
    return asked(subject, rng, masked=False)


def hiding(subject: Subject, rng: np.random.Generator) -> Case:
    """A case with a mask, where one is taken."""
    return asked(subject, rng, masked=bool(subject.facts["mask"]))


def loud(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """Keys with large scores that are hidden: what is seen still shares the whole weight."""
    if not subject.facts["mask"] or subject.facts.get("lengths"):
        return []
    case = hiding(subject, rng)
    own = ~np.broadcast_to(case["mask"], (len(case["query"]), *case["mask"].shape[1:]))[:, 0, 0]
    names = ("key", "value") if subject.facts["cross"] else ("query", "key", "value")
    inputs = {name: np.where(own[..., None], LOUD * case[name], case[name]) for name in names}
    if not subject.facts["cross"] or subject.facts.get("context"):
        inputs["value"] = inputs["key"]
    return [
        replace(
            case,
            name=f"{case.name}, large where hidden",
            inputs=case.inputs | inputs,
            facts=case.facts | {"breaks": ""},
        )
    ]


def equal(subject: Subject, rng: np.random.Generator) -> Case:
    """Keys and values that are all the same: then no score matters."""
    case = usual(subject, rng)
    same = {n: np.repeat(case[n][:, :1], case[n].shape[1], axis=1) for n in ("query", "key", "value")}
    return Case(name="equal tokens", inputs=case.inputs | same, facts=case.facts)


STAGES = (
    ComputationStage(
        where="with one key alone, where its projected value comes out as it is",
        case=lambda subject, rng: asked(subject, rng, masked=False, queries=1, keys=1),
    ),
    ComputationStage(where="with equal keys, where all weights are equal", case=equal),
    ComputationStage(where="with different keys and no mask", case=usual),
    ComputationStage(
        where="with a mask",
        case=lambda subject, rng: asked(subject, rng, masked=bool(subject.facts["mask"])),
    ),
)


def hidden(subject: Subject, rng: np.random.Generator, form: Any = None) -> Broken | None:
    """What is hidden does not move what is seen; by the usual mask, or in another form."""
    if not subject.facts["mask"]:
        error = subject.facts.get("mask error")
        return (
            Broken(number=np.inf, words=f"no shape of mask runs: {error.kind}: {error.words[:150]}")
            if error
            else None
        )
    case = asked(subject, rng, masked=True)
    if form:
        case = replace(case, facts=case.facts | {"form": form})
    inputs = {name: value.copy() for name, value in case.inputs.items()}
    place = int(np.flatnonzero(~case["mask"].reshape(len(case["query"]), -1)[0])[0])
    for name in ("key", "value") if subject.facts["cross"] else ("query",):
        inputs[name][0, place] = rng.standard_normal(inputs[name][0, place].shape)
    if not subject.facts["cross"]:
        inputs["key"] = inputs["value"] = inputs["query"]
    rows = np.ones(case["query"].shape[1], bool)
    rows[place] = subject.facts["cross"]
    before, after = (
        subject.answer(case),
        subject.answer(Case(name=case.name, inputs=inputs, facts=case.facts)),
    )
    moved = laws.gap(before[:, rows], after[:, rows])
    if moved <= laws.MOVES[subject.kind]:
        return None
    return Broken(
        number=moved,
        words=f"changing key {place} of sample 0, which is hidden, moves other outputs by {moved:.3g} of their size",
    )


def unread(subject: Subject, case: Case) -> bool:
    """Whether a mask of an impossible size is taken and changes nothing: then no mask is ever looked at."""

    def enter(case: Case) -> Arguments:
        values, named = subject.enter(case)
        return values, named | {subject.facts["mask"]: np.zeros((4, 13), bool)}

    try:
        answers = subject.answer(case), replace(subject, enter=enter).answer(case)
        return np.array_equal(*answers, equal_nan=True)
    except Raised:
        return False


def order(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Keys in another order give the same output; for one sequence, tokens in another order give it in that order."""
    if "rotary-inside" in subject.facts.get("agreed", ()):
        return None  # positions are heeded by design
    case = usual(subject, rng)
    turn = rng.permutation(case["key"].shape[1])
    before = subject.answer(case)
    inputs = {
        name: value[:, turn] if name in ("key", "value") else value for name, value in case.inputs.items()
    }
    if not subject.facts["cross"]:
        inputs["query"] = inputs["key"]
        before = before[:, turn]
    moved = laws.gap(before, subject.answer(Case(name=case.name, inputs=inputs, facts=case.facts)))
    if moved <= laws.MOVES[subject.kind]:
        return None
    return Broken(
        number=moved, words=f"tokens in another order change the outputs by {moved:.3g} of their size"
    )


def nothing_seen(subject: Subject, rng: np.random.Generator) -> str | None:
    """What a query does that may see nothing."""
    if not subject.facts["mask"]:
        return None
    case = asked(subject, rng, masked=True)
    mask = case["mask"].copy()
    mask[0] = False
    answer = subject.answer(Case(name=case.name, inputs=case.inputs | {"mask": mask}, facts=case.facts))
    return None if np.isfinite(answer).all() else "masked-row-nan"


def room(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Queries and keys may differ in number."""
    error = subject.facts["refused"]
    if error is None:
        return None
    return Broken(
        number=np.inf,
        words=f"{SEQUENCE} queries and {KEYS} keys: {error.kind}: {error.words.splitlines()[0][:150]}",
    )
