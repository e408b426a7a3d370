"""The forms in which people write rotary positions: what to call, with what, and what comes back."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from regard.checker.contract import Case
from regard.checker.contracts.rotary.tables import (
    BASE,
    COUNT,
    LENGTH,
    SAMPLES,
    TABLE,
    batched,
    handed,
    own,
    sampled,
    tables,
)
from regard.checker.reading.arguments import mean
from regard.checker.subject import Arguments
from regard.checker.workbench import Made, Unfit, Workbench

WIDTH, OFFSET, HEADS = 12, 5, 3
LAYOUTS = {"b h n d": (SAMPLES, 3, COUNT), "b n d": (3, COUNT), "n d": (COUNT,), "n h d": (3, COUNT)}
ORDERS = ("b h n d", "b n h d", "b n d", "n d", "n b h d", "n h d")
HELPER = re.compile(
    r"rotate_half|rotate_every|precompute|freqs?$|table|cache|build|reshape|broadcast|repeat|cos_?sin|^get_|^make_",
    re.I,
)
PACKED = re.compile(r"^(x_?)?qkv", re.I)
"Arguments that hold queries, keys and values."
PLACE = re.compile(r"pos|offset|start|past|index|idx|^t$|shift|(^|_)ids$", re.I)
"Arguments that say from where positions count."
OWNER = re.compile(r"^x?[qk](?=_|pos|off|start)|_x?[qk]$|quer(y|ies)|keys?")
"What in a name says whether it belongs to queries or to keys."
TOLD = ["length", "width", "base", "head_width", "heads"]
"What a function may have to be told about its input."


@dataclass
class Form:
    """One way to call: how a case becomes arguments."""

    made: Made
    enter: Callable[[Case], Arguments]
    two: bool
    "Whether queries and keys go in together."
    layout: str
    offset: bool
    "Whether a start or positions can be given."
    method: str = ""
    width: int = WIDTH
    handed: bool = False
    "Whether the tables of angles are ours, in one of the layouts that are in use."
    each: bool = False
    "Whether every sample is told positions of its own."
    packed: bool = False
    "Whether queries, keys and values go in as one array, on an axis of three behind the tokens."


def given_back(form: Form, answer: Any, asked: Case) -> np.ndarray:
    """What was turned, one array after the other; nothing where there is no array."""
    parts = answer if isinstance(answer, list) else [answer]
    if form.packed and isinstance(answer, np.ndarray) and answer.ndim == 5:
        parts = [answer[:, :, 0], answer[:, :, 1]]
    found = [p for p in parts if isinstance(p, np.ndarray)][: 2 if form.two else 1]
    return np.stack(found) if found and len({p.shape for p in found}) == 1 else np.zeros(0)


def lay(x: np.ndarray, layout: str) -> np.ndarray:
    """An array in the person's order of axes."""
    if layout == "n b h d":
        return x.transpose(2, 0, 1, 3)
    if layout == "n h d":
        return x.swapaxes(0, 1)
    return x.swapaxes(1, 2) if layout == "b n h d" else x


def case(
    rng: np.random.Generator, layout: str, width: int, *, two: bool, offset: int = 0, count: int = COUNT
) -> Case:
    """One array to turn, or a query and a key."""
    shape = (*LAYOUTS[layout if layout in LAYOUTS else "b h n d"][:-1], count, width)
    x = np.stack([lay(rng.standard_normal(shape), layout) for _ in range(2 if two else 1)])
    return Case(
        name=f"{count} positions from {offset}", inputs={"x": x}, facts={"offset": offset, "count": count}
    )


def make(bench: Workbench, base: float | None = None, heads: int = 0) -> Made:
    """The function, or the object, with a base of ours where one is given, for one head unless more are asked for."""
    heads = heads or (HEADS if bench.member.get("method") else 1)
    wide = WIDTH + bench.stretch
    known = {
        "width": wide * heads,
        "length": LENGTH,
        "base": base or asked_base(bench),
        "head_width": wide,
        "heads": heads,
    }
    return bench.build(known if heads == 1 else known | {"dropout": 0.0, "bias": None})


def asked_base(bench: Workbench) -> float | None:
    """The base that is asked for: a default of the file's own is a choice, unless the contract's is asked for."""
    return None if bench.strict else BASE


def own_base(bench: Workbench, made: Made) -> bool:
    """Whether another base is a default of the file's own, and was told ours."""
    bases = [p["default"] for p in (*bench.member["parameters"], *made.call) if mean(p["name"], ["base"])]
    return bool(asked_base(bench)) and any(base and base != BASE for base in bases)


def width_of(made: Made) -> int:
    """The width it was asked for, or that the tables of an object show."""
    if {"width", "head_width"} & set(made.built.meant):
        return WIDTH + made.stretch
    for name, value in made.weights.items():
        if re.search(r"freq|theta|^cos|^sin", name.rpartition(".")[2], re.I):
            return value.shape[-1] * (2 if value.ndim == 1 or np.iscomplexobj(value) else 1)
    told = [v for n, v in made.numbers.items() if type(v) is int and mean(n, ["width", "head_width"])]
    return told[-1] if told else WIDTH + made.stretch


def forms(bench: Workbench, *, ours: bool = False) -> Iterator[Form]:
    """Every form that the signature allows, the plainest first; `ours` where no table that the file makes can be read."""
    made = make(bench)
    method, parameters = _method(made, bench.member.get("method", ""))
    names = [_asked(p, bench) for p in parameters if not p["star"]]
    if not names:
        raise Unfit(
            "nothing-to-call", f"{bench.name} has nothing that takes an input", "name what can be called"
        )
    tabled = _tabled(bench, names)
    if tabled and not any(p["required"] and p["name"] in tabled for p in names):
        # It makes its own tables, for the positions that it is told.
        told = [
            p | {"required": bool(PLACE.search(p["name"]))}
            if p["name"] not in tabled and not p["required"]
            else p
            for p in names
        ]
        yield from _forms(bench, made, method, told, [], [None])
    wide = width_of(made)
    makers = tables(bench, wide) if tabled and not ours else [None] if not tabled else []
    yield from _forms(bench, made, method, names, tabled, makers)


def applied(bench: Workbench) -> Iterator[Form]:
    """Where a call of an object gives tables of angles: its methods that turn by them."""
    made = make(bench)
    table = own(bench, width_of(made))
    for method in [m for m in made.methods if re.search(r"rotate|rotary|apply|turn", m)] if table else []:
        names = [_asked(p, bench) for p in made.methods[method] if not p["star"]]
        if tabled := _tabled(bench, names):
            yield from _forms(bench, made, method, names, tabled, [table])


def only_tables(bench: Workbench) -> bool:
    """Whether a call gives tables of angles."""
    return own(bench, width_of(make(bench))) is not None


def _asked(parameter: dict[str, Any], bench: Workbench) -> dict[str, Any]:
    """A base that has a default is told all the same, where a default of the file's own is a choice."""
    told = asked_base(bench) and parameter["default"] and mean(parameter["name"], ["base"])
    return parameter | {"required": True} if told else parameter


def _tabled(bench: Workbench, names: list[dict[str, Any]]) -> list[str]:
    """Arguments that are tables of angles: by their names, or because their cosine is taken."""
    text = bench.source.text_of(bench.name)
    found = [
        p["name"]
        for p in names
        if TABLE.match(p["name"])
        or re.search(rf"\b{p['name']}\.(cos|sin)\(|\b(cos|sin)\({p['name']}\)", text)
    ]
    return found if len(found) < len(names) else []


def _forms(
    bench: Workbench,
    made: Made,
    method: str,
    names: list[dict[str, Any]],
    tabled: list[str],
    own: list[Any],
) -> Iterator[Form]:
    """Every form of one method: `own` are what makes the tables that it takes, or nothing."""
    arrays = [
        p
        for p in names
        if (
            p["name"] not in tabled
            and re.match(
                r"^(x|q|k|v|t|xq|xk|query|key|keys|queries|tensor|input|inputs|h|u|vec)_?\w{0,5}$",
                p["name"],
                re.I,
            )
            and not mean(p["name"], ["length", "base", "width"])
        )
        or (p is names[0] and p["name"] not in tabled)
    ]
    if len(arrays) > 1 and arrays[1]["required"] and PLACE.search(arrays[0]["name"]):
        arrays = arrays[1:]  # positions come first
    arrays = arrays or [p for p in names if p["name"] not in tabled][:1]
    two = (
        len(arrays) >= 2
        and arrays[1]["name"] not in tabled
        and bool(re.match(r"^x?k|^key", arrays[1]["name"], re.I))
    )
    # A second argument that must be given and that nobody knows may be the keys, in whatever language.
    second = names[1]["name"] if len(names) > 1 and names[1]["required"] and names[:1] == arrays else ""
    keys = second and not (second in tabled or PLACE.search(second) or mean(second, TOLD))
    turned = [names[:2]] if keys else []
    wide = width_of(made)
    makers = own or handed(wide)
    more = (batched,) if own else (batched, sampled)
    makers = [*makers, *(way(made) for way in more for made in makers if made)]
    for taken in [*turned, arrays[: 2 if two else 1]]:
        pair, first = len(taken) == 2, taken == names[: len(taken)]
        rest = [p for p in names if p not in taken and p["name"] not in tabled]
        place = next((p["name"] for p in rest if PLACE.search(p["name"]) and p["name"] != "T"), counted(rest))
        strange = [
            p["name"]
            for p in rest
            if p["required"]
            and p["name"] not in ("T", place, "device", "dtype")
            and not (place and PLACE.search(p["name"]))
        ]
        unknown = [name for name in strange if not mean(name, TOLD)]
        bench.doubts += [f"{name} given as None" for name in unknown]
        # Code that takes tables and a start cuts its part out of them itself, or does not heed the start; what must be
        # given and is unknown may be the positions.
        cuts = [place, None] if place and tabled else [place] if place else [*unknown[:1], None]
        # Positions are one row for all, or a row for each sample.
        starts = [(start, each) for start in cuts for each in (False, True) if start or not each]
        for layout, table, (start, each) in product(ORDERS, makers, starts):
            whole = bool(start and tabled)
            yield Form(
                made,
                _enter(taken, layout, rest, start, tabled, table, whole=whole, each=each, first=first),
                pair,
                layout,
                bool(start or table),
                method,
                wide,
                not own,
                each,
            )
        if PACKED.search(names[0]["name"]) and tabled:
            for table in makers:
                enter = _enter(taken, "b n h d", rest, None, tabled, table, whole=False, packed=True)
                yield Form(made, enter, True, "b n h d", True, method, wide, not own, packed=True)


def counted(rest: list[dict[str, Any]]) -> str | None:
    """The one argument that nobody knows and that is the number 0 unless it is given: a start, whatever it is called.

    >>> counted([{"name": "versatz", "required": False, "default": 0}, {"name": "base", "required": False, "default": 500.0}])
    'versatz'
    """
    found = [
        p["name"]
        for p in rest
        if not p["required"] and type(p["default"]) is int and p["default"] == 0 and not mean(p["name"], TOLD)
    ]
    return found[0] if len(found) == 1 and not re.search(r"dim|axis|seed|drop", found[0], re.I) else None


def twins(place: str, rest: list[dict[str, Any]]) -> list[str]:
    """Positions of the keys beside those of the queries: arguments of one name but for whose they are.

    >>> twins("q_pos", [{"name": name} for name in ("q_pos", "k_pos", "pos_scale")])
    ['q_pos', 'k_pos']
    >>> twins("position_ids", [{"name": "position_ids"}, {"name": "base"}])
    ['position_ids']
    """

    def common(name: str) -> str:
        return OWNER.sub("", name.lower())

    return [p["name"] for p in rest if common(p["name"]) == common(place)]


def _method(made: Made, asked: str) -> tuple[str, list[dict[str, Any]]]:
    """What to call: the method that was asked for, the object, or the method that rotates."""
    if asked:
        return asked, made.methods[asked]
    if made.call or not made.methods:
        return "", made.call
    name = next(
        (m for m in made.methods if re.search(r"rotate|apply|turn|forward|encode|embed", m)),
        next(iter(made.methods)),
    )
    return name, made.methods[name]


def _enter(
    taken: list[dict],
    layout: str,
    rest: list[dict],
    place: str | None,
    tables: list[str],
    table: Any,
    *,
    whole: bool,
    each: bool = False,
    packed: bool = False,
    first: bool = True,
) -> Callable[[Case], Arguments]:
    """How a case becomes arguments: what is `taken` goes in by its place where it comes `first`, else by its name."""

    positioned = {place, *(twins(place, rest) if place and len(taken) == 2 else ())}

    def enter(asked: Case) -> Arguments:
        offset, x, count = asked.facts["offset"], asked["x"], asked.facts.get("count", COUNT)
        named: dict[str, Any] = {}
        for parameter in rest:
            name = parameter["name"]
            if name == "T":
                named[name] = count
            elif name in positioned or (place and parameter["required"] and PLACE.search(name)):
                single = re.search(r"offset|start|past|shift", name, re.I) or parameter.get("default") == 0
                if offset or parameter["required"]:
                    places = np.arange(count) + offset
                    samples = x.shape[2 if layout == "n b h d" else 1]
                    rows = np.tile(places, (samples, 1)) + asked.facts.get("starts", 0)
                    named[name] = offset if single else rows if each else places
            elif parameter["required"]:
                wide = x.shape[-1]
                known = {"length": count, "width": wide, "base": BASE, "head_width": wide, "heads": HEADS}
                meaning = mean(name, TOLD)
                named[name] = known[meaning] if meaning else {"device": "cpu"}.get(name)
        if table is not None:
            start, rows = (0, LENGTH) if whole else (offset, count)
            named |= dict(zip(tables, table(start, tables, rows), strict=False))
        if packed:
            return [np.stack([*x, x[0]], axis=2)], named
        if first:
            return list(x), named
        return [], named | dict(zip((p["name"] for p in taken), x, strict=False))

    return enter
