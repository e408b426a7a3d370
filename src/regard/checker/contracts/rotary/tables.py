"""Tables of angles for rotary positions: what a file makes of them, or ours where it makes none."""

import ast
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from regard.checker.process.session import Raised
from regard.checker.reading.arguments import CONFIG, mean, spread
from regard.checker.reading.settings import settings
from regard.checker.workbench import Made, Unfit, Workbench

COUNT, LENGTH, SAMPLES, BASE = 7, 280, 2, 10000.0
TABLE = re.compile(r"^(cos|sin|freqs?|freqs_?cis|cis|angles?|table|rope|emb|pos_?emb)", re.I)
"Arguments that are tables of angles, or of their cosines and sines."
ROUNDED = re.compile(r"arange\([^\n]*\b(bfloat16|float16|half)\b")
"Angles of positions or channels that are counted in a low precision: no table to hold anything to."
UNTOLD = "unknown-tables"
"What makes tables of angles asks for something that nobody knows."
Table = Callable[..., list[Any]]
"Of an offset, the names of the tables and a count of positions: what is handed in for each."


def tables(bench: Workbench, width: int) -> list[Table]:
    """Functions or classes of the file that make tables of cosines and sines, as something to call."""
    found = []
    turning = _turning(bench)
    for member in bench.members:
        name = member["name"]
        if (
            name == bench.name
            or not re.search(
                r"precompute|table|cache|freq|rotary|rope|cos|sin|angle|build|emb|pos|theta", name, re.I
            )
            or re.search(r"rotate|apply|turn", name)
            or name in turning
            or ROUNDED.search(bench.source.text_of(name))
        ):
            continue
        bench.doubts.append(f"tables of angles made by {name}")
        found.append(_maker(bench, name, width))
    return found


def _turning(bench: Workbench) -> set[str]:
    """Members that turn by what is judged, or make what does: they make no tables.

    A class counts by its forward alone: its other methods may turn by tables that it makes.
    """
    found = {bench.name}
    for _ in bench.members:
        for member in bench.members:
            node = bench.source.member(member["name"])
            inner = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef)]
            calls = (
                [n for n in inner if n.name in ("forward", "__call__")]
                if member["kind"] == "class"
                else [node]
            )
            if {n.id for call in calls for n in ast.walk(call) if isinstance(n, ast.Name)} & found:
                found.add(member["name"])
    return found


def _maker(bench: Workbench, name: str, width: int) -> Table:
    base = None if bench.strict else BASE
    known = {"width": width, "length": LENGTH, "base": base, "head_width": width, "heads": 1}
    held: dict[str, Any] = {}

    def make(offset: int, tables: list[str], count: int = COUNT) -> list[Any]:
        if not held:
            held["answer"] = _made(bench, name, known)
        parts = [_slice(part, offset, count) for part in held["answer"]]
        if len(parts) == 2 and len(tables) == 1:
            return [{"tuple": parts}]  # one argument for the pair, as its maker hands it over
        return both(parts[0]) if len(parts) == 1 and paired(tables) else parts

    return make


def _made(bench: Workbench, name: str, known: dict[str, Any]) -> list[Any]:
    """What a maker gives for all positions."""
    made = _built(bench, known, name)
    bench.line.ask("cast", made.number, "float64")
    function = next(m for m in bench.members if m["name"] == name)["kind"] == "function"
    named, guessed = _told(bench, made, known, function=function)
    try:
        answer = _called(bench, made.number, named)
    except Raised as error:
        if not guessed and error.kind != "NotImplementedError":
            raise
        words = f"what {name} must be told to make tables of angles is not known"
        raise Unfit(UNTOLD, words, "say it in one line: --call") from None
    whole = (1, 1, LENGTH, known["width"])
    if guessed and any(np.shape(part) == whole and not np.any(part) for part in answer):
        words = f"{name} gives back zeros for zeros: it turns, and makes no tables"
        raise Unfit(UNTOLD, words, "say it in one line: --call")
    return answer


def _told(
    bench: Workbench, made: Made, known: dict[str, Any], *, function: bool
) -> tuple[dict[str, Any], bool]:
    """What a maker is told by name, and whether something of it is a guess: an input to make tables for."""
    named: dict[str, Any] = {}
    guessed = False
    if known["base"]:  # a default of the file's own is a choice
        named |= {p["name"]: known["base"] for p in made.call if p["default"] and mean(p["name"], ["base"])}
    lengths = [p["name"] for p in made.call if p["default"] is None and mean(p["name"], ["length"])]
    for name in [p["name"] for p in made.call if p["required"] or p["name"] in lengths]:
        meaning = mean(name, ["width", "length", "base", "head_width"])
        wide = {"width", "head_width"} & {mean(word, ["width", "head_width"]) for word in named}
        if meaning:
            named[name] = known[meaning] or BASE
        elif function and not wide and re.search(r"^(n|num|d|dim)_", name):
            named[name] = known["width"]
        elif re.search(r"pos|^t$|ids|index", name, re.I):
            named[name] = np.arange(LENGTH) if function else np.arange(LENGTH)[None]
        elif name in ("device", "dtype"):
            named[name] = {"device": "cpu"}.get(name)
        elif name.lower() in CONFIG:
            named[name] = {"config": spread(known) | settings(bench.source, name, known)}
        else:
            named[name], guessed = np.zeros((1, 1, LENGTH, known["width"])), True
    return named, guessed


def _built(bench: Workbench, known: dict[str, Any], name: str) -> Made:
    """A maker of tables; one that asserts something of its arguments is told what nobody knows."""
    try:
        return bench.build(known, name)
    except Raised as error:
        if error.kind != "AssertionError":
            raise
        words = f"what {name} must be told to be made is not known: {error.words}"
        raise Unfit(UNTOLD, words, "say it in one line: --call") from None


def _called(bench: Workbench, number: int, named: dict[str, Any]) -> list[Any]:
    """What the maker answers; to an input with the tokens first or second, where it does not find them before the channels.

    What is called as a length may be all the positions instead.
    """
    try:
        return _asked(bench, number, named)
    except Raised as error:
        lengths = [name for name, value in named.items() if isinstance(value, int) and value == LENGTH]
        if not lengths or not re.search(r"'int' object|must be Tensor, not int", error.words):
            raise
        return _asked(bench, number, named | {lengths[0]: np.arange(LENGTH)})


def _asked(bench: Workbench, number: int, named: dict[str, Any]) -> list[Any]:
    whole = {name: value for name, value in named.items() if np.ndim(value) == 4}
    first, second = ({name: np.moveaxis(value, 2, axis) for name, value in whole.items()} for axis in (0, 1))
    answer: list[Any] = []
    for more in ({}, first, second):
        reply = bench.line.ask("call", number, [], named=named | more, method="", kind="float64", seed=0)[
            "answer"
        ]
        answer = reply if isinstance(reply, list) else [reply]
        if not first or any(LENGTH in np.shape(part) for part in answer):
            break
    return answer


def paired(tables: list[str]) -> bool:
    """Whether a cosine and a sine are asked for.

    >>> paired(["cos", "sin"]), paired(["freqs_cos", "freqs_sin"]), paired(["sin", "cos"]), paired(["freqs"])
    (True, True, False, False)
    """
    found = [re.findall(r"cos|sin", name.lower()) for name in tables]
    return found == [["cos"], ["sin"]]


def both(angles: Any) -> list[Any]:
    """The cosines and sines of a table of angles; anything else as it is."""
    real = isinstance(angles, np.ndarray) and angles.dtype.kind == "f"
    return [np.cos(angles), np.sin(angles)] if real else [angles]


def own(bench: Workbench, width: int) -> Table | None:
    """What the member itself gives, where that is tables of angles: cosines and sines, or complex numbers."""
    make = _maker(bench, bench.name, width)
    try:
        parts = make(0, ["table"])
    except (Raised, Unfit):
        return None
    if isinstance(parts[0], dict):
        (held,) = parts[0].values()
        parts = held if isinstance(held, list) else [held]
    real = [part for part in parts if isinstance(part, np.ndarray) and part.dtype.kind == "f"]
    if len(real) != len(parts) or len({part.shape for part in real}) != 1:
        return None
    lengths = sum(part**2 for part in real) if len(real) == 2 else (real[0] ** 2).sum(-1)
    return make if np.allclose(lengths, 1.0, atol=1e-3) else None


def handed(width: int) -> list[Table]:
    """Tables of ours, for code that takes them and whose file makes none: once for each way to lay them out."""
    half = np.outer(np.arange(LENGTH), 10000.0 ** (-np.arange(0, width, 2) / width))
    whole = {
        "halves": np.concatenate([half, half], axis=-1),
        "pairs": np.repeat(half, 2, axis=-1),
        "half": half,
    }
    shapes = ((LENGTH, -1), (1, 1, LENGTH, -1), (LENGTH, 1, -1))
    return [_table(angles.reshape(shape)) for angles in whole.values() for shape in shapes]


def _table(angles: np.ndarray) -> Table:
    def make(offset: int, tables: list[str], count: int = COUNT) -> list[Any]:
        part = _slice(angles, offset, count)
        if paired(tables):
            return both(part)
        turned = np.stack([np.cos(part), np.sin(part)], axis=-1)
        return [{"complex": turned} if any("cis" in name for name in tables) else part]

    return make


def batched(make: Table) -> Table:
    """The same tables with a batch axis of one."""

    def more(offset: int, tables: list[str], count: int = COUNT) -> list[Any]:
        return [part[None] if isinstance(part, np.ndarray) else part for part in make(offset, tables, count)]

    return more


def sampled(make: Table) -> Table:
    """The same tables once for each sample of a batch."""

    def more(offset: int, tables: list[str], count: int = COUNT) -> list[Any]:
        return [_repeated(part) for part in make(offset, tables, count)]

    return more


def _repeated(part: Any) -> Any:
    if isinstance(part, dict) and "complex" in part:
        return {"complex": _repeated(part["complex"])}
    return np.repeat(part[None], SAMPLES, axis=0) if isinstance(part, np.ndarray) else part


def _slice(part: Any, offset: int, count: int) -> Any:
    """The rows of a table that belong to the positions; complex numbers travel as pairs."""
    if not isinstance(part, np.ndarray):
        return part
    axis = next((i for i, size in enumerate(part.shape) if size == LENGTH), 0)
    if part.ndim and part.shape[axis] < offset + count:
        raise Unfit(
            "not-understood", "the tables of angles that its file makes have no place for each position", ""
        )
    part = np.take(part, np.arange(offset, offset + count), axis=axis)
    if np.iscomplexobj(part):
        return {"complex": np.stack([part.real, part.imag], axis=-1).astype(np.float64)}
    return part
