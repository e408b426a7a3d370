"""Attention of a model in a person's own file, which runs in a process of its own, as the checker's do."""

from typing import Any

import torch

from regard.checker.process.limits import ProcessLimits
from regard.checker.process.session import Lost, Raised, Session
from regard.checker.reading.place import place
from regard.core.edges import Edges
from regard.errors import RegardError
from regard.lab.look.attention import Attention
from regard.lab.look.maps import AttentionLayer

LIMITS = ProcessLimits(call=60.0, whole=90.0, memory=6 << 30)
INSIDE = "regard.lab.look.inside:Looking"


def attention_of_file(
    target: str,
    *,
    given: dict[str, str] | None = None,
    prompt: str | None = None,
    shape: list[int] | None = None,
) -> Attention:
    """Where a model looks that a file defines: `mine.py`, `mine.py:Model`, `mine.py:make_model`."""
    path, name = place(target, "look into", (".py",))
    with Session(LIMITS, INSIDE) as session:
        try:
            session.ask("load", str(path))
            found = session.ask("look", name, given or {}, prompt, shape)
        except Raised as error:
            raise _told(error, path.name) from error
        except Lost as error:
            raise RegardError(
                "the file could not be run", error.sentence, "make it smaller, or quicker to import"
            ) from error
    picture = found["picture"]
    return Attention(
        tuple(_layer(one) for one in found["layers"]),
        tuple(found["labels"]),
        tuple(found["notes"]),
        grid=tuple(found["grid"]) if found["grid"] else None,
        picture=None if picture is None else torch.from_numpy(picture),
    )


def _layer(one: dict[str, Any]) -> AttentionLayer:
    edges = one["edges"]
    if edges is not None:
        ends = (torch.from_numpy(edges[name]) for name in ("source", "target"))
        edges = Edges(*ends, sizes=tuple(edges["sizes"]), duplicates="keep")
    return AttentionLayer(one["name"], torch.from_numpy(one["weights"]), one["how"], edges)


def _told(error: Raised, file: str) -> RegardError:
    """An exception of the person's code, or of ours inside, in three lines."""
    what, got, fix = ([*error.words.split("\n  "), "", ""])[:3]
    if error.kind == "RegardError" and got.startswith("got: ") and fix.startswith("fix: "):
        return RegardError(what, got.removeprefix("got: "), fix.removeprefix("fix: "))
    at = f" ({file}, line {error.line}: {error.text})" if error.line else ""
    first = error.words.splitlines()[0][:200] if error.words else ""
    return RegardError("the file raised an error", f"{error.kind}: {first}{at}", "make it run first")
