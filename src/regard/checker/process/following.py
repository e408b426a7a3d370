"""What code holds while it runs: the arrays in its reach at every turn of its loops and every entry of its functions."""

import ast
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from regard.checker.process.exchange import array
from regard.checker.process.weights import kept

TURNS, LARGE, LARGEST = 13, 200, 1200
"Turns that are kept of each loop; numbers of an array that is kept of the first of them alone, and of none."
SECONDS = 6.0
"How long a call is followed before it is stopped."

Seen = list[tuple[int, dict[str, np.ndarray]]]


class Enough(BaseException):
    """It has been followed long enough: no handler of the person's means this."""


def heads(text: str) -> set[int]:
    """Lines that are run once in every turn of a loop, and those with which a function begins.

    >>> sorted(heads("def f(x):\\n    'Doc.'\\n    for i in x:\\n        a = i\\n        for j in a:\\n            b = j\\n        c = b"))
    [3, 4, 6, 7]
    """
    nodes = list(ast.walk(ast.parse(text)))
    found = {_begin(node.body).lineno for node in nodes if isinstance(node, ast.FunctionDef)}
    for loop in (node for node in nodes if isinstance(node, ast.For | ast.While)):
        plain = [part.lineno for part in loop.body if not isinstance(part, ast.For | ast.While)]
        found |= set(plain) or {loop.lineno}
    return found


def _begin(body: list[ast.stmt]) -> ast.stmt:
    """The first statement that does something."""
    told = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    return body[1] if told and len(body) > 1 else body[0]


def followed(run: Callable[[], Any], file: str, text: str) -> Seen:
    """Run something; what was in reach at the beginnings of turns, in order."""
    lines, seen, until = heads(text), list[tuple[int, dict[str, np.ndarray]]](), time.monotonic() + SECONDS
    turns: dict[int, int] = {}

    def step(frame: FrameType, event: str, _: Any) -> Any:
        line = frame.f_lineno
        if event == "line" and line in lines and turns.get(line, 0) < TURNS:
            turns[line] = turns.get(line, 0) + 1
            seen.append((line, _held(frame.f_locals, LARGE if turns[line] > 1 else LARGEST)))
        if time.monotonic() > until:
            raise Enough
        return step

    def enter(frame: FrameType, event: str, _: Any) -> Any:
        return step if frame.f_code.co_filename == file else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        run()
    except Enough:
        pass
    finally:
        sys.settrace(before)
    return seen


def _held(names: dict[str, Any], most: int) -> dict[str, np.ndarray]:
    """Arrays among local names, and those that `self` keeps."""
    keeper = names.get("self")
    reach = [("", {name: value for name, value in names.items() if name != "self"})]
    reach += [("self.", vars(keeper))] if hasattr(keeper, "__dict__") else []
    found: dict[str, np.ndarray] = {}
    for prefix, parts in reach:
        for name, value in kept({n: v for n, v in parts.items() if not callable(v)}, prefix):
            if 0 < (own := array(value)).size <= most:
                found[name] = np.array(own, dtype=np.float64)
        found |= {f"{prefix}{n}": np.array(v) for n, v in parts.items() if isinstance(v, float)}
    return found
