"""How a person's attention function is called: where its tokens lie, what shape and meaning its mask has."""

import re
from itertools import product
from typing import Any

import numpy as np

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.attention.calls import COUNTED, OTHER, SLUGS, meanings, told
from regard.checker.contracts.attention.function_probes import BATCHES, COUNTS, LAYOUTS, hidden, laid, masked
from regard.checker.process.session import Raised
from regard.checker.reading.arguments import mean
from regard.checker.reading.settings import constant
from regard.checker.reading.uses import scaling
from regard.checker.subject import Arguments, Subject, by_role, first, triple
from regard.checker.workbench import Workbench

SHAPES = (
    ((2, 3), 7, 5, 8, 11),
    ((2, 3), 7, 5, 8, 8),
    ((2,), 7, 5, 8, 11),
    ((2,), 7, 5, 8, 8),
    ((), 7, 5, 8, 11),
    ((), 7, 5, 8, 8),
    ((2, 3), 7, 7, 8, 8),
    ((2,), 7, 7, 8, 8),
    ((), 7, 7, 8, 8),
)
"Leading axes, queries, keys, width, width of the values: the first that runs is used."
PLACES = {2: ("sequence-first", (0, 1)), 3: ("heads-after-tokens", (1, 2))}
"Where tokens may lie besides the last axis but one, by the number of axes before the channels: which two are exchanged."
WIDTH = 8
MASKING = re.compile(r"mas[kc]|masque|^m$|allowed|visible|^keep$|^valid$|^seen$|ignore|hidden|padding|valid_?len|^lens$|^lengths?$|^(attn|attention|score)?_?bias$", re.I)  # fmt: skip

ASKING: dict[str, Any] = {
    "causal": lambda p: p["default"] is False and bool(mean(p["name"], ["causal"])),
    "scale": lambda p: not p["required"] and p["default"] is None and p["name"].lower().endswith("scale"),
}
"Arguments that ask for another function: the future hidden, another scale."


def by_name(parameters: list[dict[str, Any]]) -> bool:
    """Whether q, k and v are taken by their names: they can only be passed so, or the query does not come first.

    Else their order is q, k, v, as callers have it.
    """
    ours = triple(parameters)
    placed = list(ours.values()) == parameters[:3]
    return bool(ours) and (not placed or next(iter(ours)) != "q" or all(p["named"] for p in ours.values()))


def adapt(bench: Workbench) -> Subject:
    """Find the mask argument and the first sizes that run."""
    width = constant(bench.source, bench.member, "head_width") or WIDTH + bench.stretch
    made = bench.build({"head_width": width, "width": width, "temperature": width**0.5, "dropout": 0.35})
    method = bench.member.get("method", "")
    call = made.methods[method] if method else made.call
    ours = [p["name"] for p in triple(call).values() or call[:3]]
    others = [p["name"] for p in call if p["name"] not in ours]
    flags = {p["name"] for p in call if isinstance(p.get("default"), bool)}
    mask = next((name for name in others if MASKING.search(name) and name not in flags), None)
    needed = [p["name"] for p in call if p["required"]]
    free = {p["name"] for p in call if not (p["required"] or p["star"]) and p["default"] is None}
    more = [n for n in others if n != mask and n in free and MASKING.search(n) and not OTHER.search(n)]
    counts = bool(mask and re.search(r"len", mask))
    facts: dict[str, Any] = {"mask": mask, "drawn": {}, "counts": counts, "meaning": meanings(bench, mask)[0]}
    facts["others"] = [] if counts else [n for n in more if not COUNTED.search(n)]
    facts |= {"layout": "b n" if counts else "n m", "width": width, "turned": None}
    facts["asked"] = {what: p["name"] for p in call for what, asks in ASKING.items() if asks(p)}
    rest = [n for n in needed if n not in (*ours, mask, *bench.calling)]
    powers = {name: scaling(bench.source, bench.name, name) for name in rest}

    def turn(x: np.ndarray) -> np.ndarray:
        return x.swapaxes(*facts["turned"]) if facts["turned"] else x

    def enter(case: Case) -> Arguments:
        given = {
            letter: turn(case[name]) for letter, name in zip("qkv", ("query", "key", "value"), strict=True)
        }
        given["q"] = given["q"] * case.facts.get("times", 1.0)
        values, named = by_role(call, given) if by_name(call) else (list(given.values()), {})
        named |= {name: further_one(name, case, powers[name]) for name in rest}
        if "named" in case.facts:
            return values, named | case.facts["named"]
        if mask and (case.facts["masked"] or mask in needed):
            shown = laid(case["mask"], case.facts["layout"])
            named[mask] = shown if facts["counts"] else told(shown, facts["meaning"])
        return values, named

    def leave(answer: Any, case: Case) -> np.ndarray:
        return output(answer, case, turn)

    bench.doubts += [f"{name} given as a size or None" for name in rest]
    subject = Subject(bench, made, enter, leave, method=method, facts=facts)
    if by_name(call):
        subject.notes.append(f"passed by their names: {', '.join(ours)}")
    first_error = _running(bench, subject, meanings(bench, mask))
    shape = facts["shape"]
    facts["refused"] = first_error if shape[1] == shape[2] or shape[3] == shape[4] else None
    subject.frames = [WeightMap(weights={}, conventions=(*_placed(facts), *_meaning(bench, subject, mask)))]
    return subject


def _placed(facts: dict[str, Any]) -> tuple[str, ...]:
    """The convention of where the tokens lie, if they lie elsewhere."""
    return (PLACES[len(facts["shape"][0]) + 1][0],) if facts["turned"] else ()


def _running(bench: Workbench, subject: Subject, possible: tuple[str, ...]) -> Raised | None:
    """Find sizes that run under some meaning of the mask; what the first sizes ended in."""
    error: Raised | None = None
    for meaning in possible:
        subject.facts["meaning"] = meaning
        try:
            return _shape(bench, subject)
        except Raised as trouble:
            error = error or trouble
    assert error
    raise error


def _shape(bench: Workbench, subject: Subject) -> Raised | None:
    """Find the first sizes that run, with the tokens elsewhere too; what the sizes before it ended in."""
    rng, facts = np.random.default_rng(7), subject.facts
    first_error: Raised | None = None
    more = facts["width"] - WIDTH
    for lead, n, m, d, c in SHAPES:
        shape = facts["shape"] = (lead, n, m, d + more, c + more)
        # With unequal numbers of queries and keys only the right place of the tokens runs.
        elsewhere = [PLACES[len(lead) + 1][1]] if lead and n != m else []
        known = COUNTS if facts["counts"] else LAYOUTS
        layouts = [layout for layout in known if lead or not BATCHES & set(layout.split())]
        for turned, layout in product((None, *elsewhere), layouts if facts["mask"] else layouts[:1]):
            facts |= {"layout": layout, "turned": turned}
            trial = masked(subject, rng)
            try:
                bench.precise(subject.made, *subject.enter(trial), subject.method)
                plain = turned is None and layout == known[0]
                if not plain and subject.answer(trial).shape != (*lead, n, shape[-1]):
                    continue
                return first_error if turned is None and layout in ("n m", "b n") else None
            except Raised as error:
                first_error = first_error or error
    assert first_error
    raise first_error


def _meaning(bench: Workbench, subject: Subject, mask: str | None) -> tuple[str, ...]:
    """What the mask means: the first meaning under which what is hidden does not matter; as a convention."""
    facts = subject.facts
    if facts["counts"]:
        return ("valid-lengths",)
    own = ("mask-of-keys",) if facts["layout"] == "b m" else ()
    possible = meanings(bench, mask) if mask else ()
    for meaning in possible:
        facts["meaning"] = meaning
        try:
            if hidden(subject, np.random.default_rng(5)) is None:
                break
        except Raised:
            continue
    else:
        facts["meaning"] = possible[0] if possible else "seen"
    slug = SLUGS.get(facts["meaning"])
    # What is called a bias is added: nobody could mean anything else by it.
    return own if not slug or (mask or "").endswith("bias") else (*own, slug)


def further_one(name: str, case: Case, power: float | None = None) -> Any:
    """Another argument that is required: a width or a number of tokens, or a power of the width as a scale, else nothing."""
    width = case["key"].shape[-1]
    known = {"head_width": width, "width": width, "length": case["query"].shape[-2]}
    meaning = mean(name, list(known))
    return known[meaning] if meaning else width**power if power else None


def output(answer: Any, case: Case, turn: Any = lambda x: x) -> np.ndarray:
    """The output among what is returned: the array with one row for each query and the values' width."""
    wanted = turn(np.empty((*case["query"].shape[:-1], case["value"].shape[-1]))).shape
    for item in answer if isinstance(answer, list) else []:
        if isinstance(item, np.ndarray) and item.shape == wanted:
            return turn(item)
    found = first(answer)
    return turn(found) if isinstance(found, np.ndarray) and found.shape == wanted else found
