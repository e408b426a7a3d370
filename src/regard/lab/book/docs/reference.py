"""API reference: every public name with its signature, its docstring and its examples."""

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from regard.lab.book.docs.equations import EQUATIONS, SPOKEN
from regard.lab.book.docs.guides import code, unbroken
from regard.lab.book.report import capital, words
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
CONSTANTS = {
    "ALBUMS": "The sets of pictures with masks that are known by name.",
    "ALONE": "The group of a process that nobody shares its work with: the default of a `Training`.",
    "CATALOGUE": "Everything that can be fetched: an `Entry` each, with origin, checksum and licence.",
    "COMPOSERS": "The composers whose scores are known: a label is a place in this list.",
    "PLAIN": "The `Plan` that leaves learning rate, gradient and precision as they are.",
    "TEXTS": "The texts that are known by name.",
}
"What is no class and no function, in a sentence."
LONGEST = 80
"Letters of a call that stands on one line."
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
    body = unbroken(head + "".join(_told(one) for one in names))
    return Page(f"docs/api/{key}.html", f"Reference: {title.lower()}", body, "reference",
                f"Signatures, equations and examples of {len(names)} public names of {package}.")  # fmt: skip


def _anchor(one: PublicName) -> str:
    return f"api-{one.package.rpartition('.')[2]}-{one.name}"


def _told(one: PublicName) -> str:
    head = f'<h2 id="{_anchor(one)}">{escape(one.name)}</h2>'
    if not (inspect.isclass(one.thing) or callable(one.thing)):
        return head + _paragraph(CONSTANTS[one.name]) + code(_short(one.thing))
    call = code(f"{one.name}{signature(one.thing)}")
    return (
        head + call + equation(one.name) + docstring(one.thing, SPOKEN.get(one.name)) + "".join(_parts(one))
    )


def equation(name: str) -> str:
    """The equation of a name as HTML; nothing where it has none."""
    text = EQUATIONS.get(name, "")
    return _paragraph(text if "$" in text or not text else f"$${text}$$")


def _short(value: Any) -> str:
    """The members of a collection, by name where they have one."""
    found = list(value) if isinstance(value, dict | tuple | list | set | frozenset) else [value]
    return ", ".join(str(getattr(one, "name", one)) for one in found)


def signature(thing: Any) -> str:
    """The call of a function or class as one writes it, one parameter a line where it is long.

    >>> signature(lambda a, b=2: a), signature(lambda kind=dict, by=sorted: 0)
    ('(a, b=2)', '(kind=dict, by=sorted)')
    """
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(…)"
    kept = [one for one in found.parameters.values() if one.name not in ("self", "cls")]
    given = found.replace(parameters=kept)
    if inspect.isclass(thing):
        given = given.replace(return_annotation=inspect.Signature.empty)
    plain = _written(str(given))
    if len(plain) <= LONGEST:
        return plain
    bare = str(given.replace(parameters=[]))
    return "(\n    " + ",\n    ".join(_written(str(one)) for one in kept) + ",\n" + _written(bare[1:])


def _written(text: str) -> str:
    """A signature without modules, addresses of memory and quotes around types.

    >>> _written("(a: 'Edges' = <function sums at 0x7f>, b: torch.Tensor = <factory>) -> 'GPT'")
    '(a: Edges = sums, b: Tensor = …) -> GPT'
    """
    text = re.sub(r"<(?:function|class|built-in function) '?([^\s'>]+)'?(?: at 0x[0-9a-f]+)?>", r"\1", text)
    text = re.sub(r"(-> |: )'([^']+)'", r"\1\2", text.replace("<factory>", "…"))
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Za-z])", "", text)


def docstring(thing: Any, spoken: str | None = None) -> str:
    """A docstring as HTML: paragraphs, indented formulas and examples.

    Where its first line begins with a formula that is shown above, that is left out, as far as `spoken`.
    """
    text = inspect.getdoc(thing) or ""
    if spoken is not None:
        first, _, rest = text.partition("\n")
        text = f"{capital(first.partition(spoken)[2]) if spoken else ''}\n{rest}".lstrip("\n")
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
        gives = _written(str(inspect.signature(inner)).partition(" -> ")[2])
        call = f"{name}: {gives}" if isinstance(thing, property) else name + signature(inner)
        yield f"<h3><code>{escape(one.name)}.{escape(name)}</code></h3>" + code(call) + docstring(inner)
