"""API reference: every public name with its signature, its docstring and its examples."""

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from regard.lab.book.docs.equations import EQUATIONS
from regard.lab.book.docs.guides import code
from regard.lab.book.report import words
from regard.lab.book.site.page import Page
from regard.lab.settings import sentences

GROUPS = {
    "operator": ("The operator", "regard.core"),
    "graphs": ("Graphs", "regard.models.graph"),
    "models": ("Models", "regard.models"),
    "generation": ("Generation", "regard.generation"),
    "looking": ("Looking and checking", "regard.lab", "regard.checker", "regard.errors"),
}
"Names of `regard` itself: title of their page, and where they are defined; the first that fits counts."
PACKAGES = {"data": "Data", "estimators": "Estimators", "lab": "Experiments", "training": "Training"}


@dataclass(frozen=True)
class PublicName:
    """A name that a text may use: the package it is imported from, and what it is."""

    package: str
    name: str
    thing: Any

    @property
    def home(self) -> str:
        return getattr(self.thing, "__module__", self.package)


def public() -> list[PublicName]:
    """Every public name."""
    packages = ["regard", *(f"regard.{name}" for name in PACKAGES)]
    return [
        PublicName(package, name, getattr(importlib.import_module(package), name))
        for package in packages
        for name in sorted(importlib.import_module(package).__all__, key=str.lower)
    ]


def reference() -> list[Page]:
    """A page for each group of names."""
    names = public()
    top = [one for one in names if one.package == "regard"]
    pages = [
        _page(key, title, [one for one in top if _group(one) == key]) for key, (title, *_) in GROUPS.items()
    ]
    return pages + [
        _page(key, title, [one for one in names if one.package == f"regard.{key}"])
        for key, title in PACKAGES.items()
    ]


def _group(one: PublicName) -> str:
    return next(key for key, (_, *homes) in GROUPS.items() if one.home.startswith(tuple(homes)))


def _page(key: str, title: str, names: list[PublicName]) -> Page:
    package = names[0].package
    listed = ", ".join(f'<a href="#{_anchor(one)}"><code>{one.name}</code></a>' for one in names)
    head = f"<p>From <code>{package}</code>: {listed}.</p>"
    body = head + "".join(_told(one) for one in names)
    return Page(f"docs/api/{key}.html", f"Reference: {title.lower()}", body, "reference",
                f"Signatures, equations and examples of {len(names)} public names of {package}.")  # fmt: skip


def _anchor(one: PublicName) -> str:
    return f"api-{one.package.rpartition('.')[2]}-{one.name}"


def _told(one: PublicName) -> str:
    head = f'<h2 id="{_anchor(one)}">{escape(one.name)}</h2>'
    if not (inspect.isclass(one.thing) or callable(one.thing)):
        return head + f"<p>A {escape(type(one.thing).__name__)}.</p>" + code(_short(one.thing))
    call = code(f"{one.name}{signature(one.thing)}")
    return head + call + equation(one.name) + docstring(one.thing) + "".join(_parts(one))


def equation(name: str) -> str:
    """The equation of a name as HTML; nothing where it has none."""
    text = EQUATIONS.get(name, "")
    return _paragraph(text if "$" in text or not text else f"$${text}$$")


def _short(value: Any) -> str:
    found = list(value) if isinstance(value, dict | tuple | list | set | frozenset) else [value]
    return ", ".join(str(one) for one in found)


def signature(thing: Any) -> str:
    """The call of a function or class, one parameter a line where it is long.

    >>> signature(lambda a, b=2: a)
    '(a, b=2)'
    """
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(…)"
    plain = re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])", "", str(found))
    if len(plain) <= 80:
        return plain
    lines = [re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])", "", str(one)) for one in found.parameters.values()]
    return "(\n    " + ",\n    ".join(lines) + ",\n)"


def docstring(thing: Any) -> str:
    """A docstring as HTML: paragraphs, indented formulas and examples."""
    text = inspect.getdoc(thing) or ""
    return "".join(_block(part) for part in re.split(r"\n\s*\n", text) if part.strip())


def _block(part: str) -> str:
    if part.lstrip().startswith(">>>") or part.startswith(("    ", "\t")):
        return code(inspect.cleandoc(part) if part.startswith(" ") else part)
    first, *items = re.split(r"(?m)^\* ", part)
    listed = "".join(f"<li>{words(one)}</li>" for one in items)
    return _paragraph(first) + (f"<ul>{listed}</ul>" if listed else "")


def _paragraph(text: str) -> str:
    return f"<p>{words(text)}</p>" if text.strip() else ""


def _parts(one: PublicName) -> Iterator[str]:
    """Fields with their sentences, and public methods."""
    if not inspect.isclass(one.thing):
        return
    if dataclasses.is_dataclass(one.thing):
        fields = [pair for pair in sentences(one.thing).items() if not pair[0].startswith("_")]
        rows = "".join(f"<dt><code>{name}</code></dt><dd>{words(text)}</dd>" for name, text in fields)
        yield f"<dl>{rows}</dl>" if rows else ""
    for name, thing in vars(one.thing).items():
        inner = thing.fget if isinstance(thing, property) else getattr(thing, "__func__", thing)
        if name.startswith("_") or not inspect.isfunction(inner) or not inner.__doc__:
            continue
        call = name if isinstance(thing, property) else name + signature(inner)
        yield f"<h3><code>{escape(one.name)}.{escape(name)}</code></h3>" + code(call) + docstring(inner)
