"""The fields of a request: JSON or a query, each held to its type, its bounds and its length."""

import json
import re
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from starlette.requests import Request

from regard.errors import nearest
from regard.web.refusal import Refusal

BODY = 65_536
"Bytes of a request's body."
PICTURE = 262_144
"Bytes of a request's body that may bring the pixels of a picture."
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]{0,127}")
"What an id looks like. It is looked up in a table, never made into a path."
NONE = object()


class Fields:
    """Named values of a request, taken one by one; what nobody takes is refused by `end`.

    >>> Fields({"tokens": 5}).whole("tokens", 1, 512)
    5
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given, self.taken = given, set[str]()

    def take(self, name: str, default: Any = NONE) -> Any:
        """A value as it came."""
        self.taken.add(name)
        value = self.given.get(name, NONE)
        value = default if value is NONE or value is None else value
        if value is NONE:
            raise Refusal(400, f"the field '{name}' is missing", "nothing", f"give '{name}'")
        return value

    def whole(self, name: str, low: int, high: int, default: Any = NONE) -> Any:
        """A whole number from low to high; of a query, also its digits."""
        value = self.take(name, default)
        if isinstance(value, str) and re.fullmatch(r"-?\d{1,15}", value):
            value = int(value)
        if value is default:
            return value
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise _wrong(name, value, f"a whole number from {low} to {high}")
        return value

    def number(self, name: str, low: float, high: float, default: Any = NONE) -> Any:
        """A finite number from low to high."""
        value = self.take(name, default)
        if value is default:
            return value
        fine = isinstance(value, int | float) and not isinstance(value, bool)
        if not fine or not isfinite(value) or not low <= value <= high:
            raise _wrong(name, value, f"a number from {low} to {high}")
        return float(value)

    def text(self, name: str, longest: int, default: Any = NONE) -> Any:
        """A text of at most so many characters."""
        value = self.take(name, default)
        if value is not default and (not isinstance(value, str) or len(value) > longest):
            raise _wrong(name, value, f"a text of at most {longest} characters")
        return value

    def choice(self, name: str, among: Iterable[str], default: Any = NONE) -> Any:
        """One of some words."""
        value, words = self.take(name, default), list(among)
        if value is not default and value not in words:
            fix = nearest(str(value)[:100], words, f"one of {', '.join(words)}")
            raise Refusal(400, f"the field '{name}' has no such value", _shown(value), fix)
        return value

    def id(self, name: str) -> str:
        """Something that looks like an id."""
        return checked_id(self.take(name))

    def end(self) -> None:
        """Refuse a field that means nothing here."""
        for name in self.given:
            if name not in self.taken:
                fix = nearest(str(name)[:100], self.taken, "leave it out")
                raise Refusal(400, "no field of that name here", _shown(name), fix)


def checked_id(value: Any) -> str:
    """The id, if it looks like one: this is decided before anything is looked up."""
    if not isinstance(value, str) or not ID.fullmatch(value):
        raise Refusal(400, "this is no id", _shown(value), "take an id from a list of this lab")
    return value


async def body(request: Request, most: int = BODY) -> Fields:
    """The fields of a request's JSON, of at most so many bytes."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, "a request brings JSON", f"content-type {kind[:100]!r}", "send application/json")
    size = request.headers.get("content-length", "0")
    if not size.isdigit() or int(size) > most:
        raise _too_large(most)
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > most:
            raise _too_large(most)
    try:
        found = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refusal(400, "this is no JSON", f"{len(data)} bytes", "send one JSON object") from None
    if not isinstance(found, dict):
        raise Refusal(400, "a request is a JSON object", type(found).__name__, "send one JSON object")
    return Fields(found)


def query(request: Request) -> Fields:
    """The fields of an address; none may come twice."""
    pairs = request.query_params.multi_items()
    if len({name for name, _ in pairs}) != len(pairs):
        raise Refusal(400, "a field comes twice", "the same name again", "give each field once")
    return Fields(dict(pairs))


def _no_constant(word: str) -> None:
    raise ValueError(word)


def _too_large(most: int) -> Refusal:
    return Refusal(413, "the request is too large", f"more than {most:,} bytes", "send less")


def _wrong(name: str, value: Any, fix: str) -> Refusal:
    return Refusal(400, f"the field '{name}' is out of bounds", _shown(value), f"give {fix}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:120]}…"
