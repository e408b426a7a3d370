"""What a person says beside the file: which weight is which, how it is made and called, which conventions are meant."""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from regard.checker.contract import Contract
from regard.errors import RegardError, nearest


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """Everything that was said."""

    map: dict[str, str] = field(default_factory=dict)
    "Weights by role, and arguments of the constructor."
    strict: bool | None = None
    "Whether the contract's own choices are asked for; None: as the file itself says."
    conventions: tuple[str, ...] = ()
    "Choices such as mask=hidden."
    make: str = ""
    "How it is made, as one would write it."
    call: str = ""
    "How it is called, as one would write it."

    def strictly(self, text: str) -> bool:
        """Whether the contract's own choices are asked for."""
        return bool(re.search(r"^#\s*regard:\s*strict\b", text, re.M)) if self.strict is None else self.strict

    def bench(self, text: str) -> dict[str, Any]:
        """The same as a workbench has it."""
        return {
            "said": dict(self.map),
            "strict": self.strictly(text),
            "wanted": self.conventions,
            "making": made(self.make) if self.make else None,
            "calling": called(self.call) if self.call else {},
        }

    def heeded(self, chosen: list[tuple[dict[str, Any], Contract]], fields: Iterable[str] = ()) -> None:
        """Refuse what nobody would hear: neither a role of the contract nor an argument nor a convention of it."""
        roles = [role for _, contract in chosen for role in contract.roles]
        own = [p["name"] for member, _ in chosen for p in member["parameters"] if member["kind"] == "class"]
        known = list(dict.fromkeys([*roles, *own]))
        for name, value in self.map.items():
            if name not in known and name not in fields:
                raise RegardError(
                    "--map names what has no effect here",
                    repr(f"{name}={value}"),
                    nearest(
                        name, known, f"one of {', '.join(known) or 'nothing: this contract takes no --map'}"
                    ),
                )
        if self.make and not any(m["kind"] == "class" or m.get("method") for m, _ in chosen):
            raise RegardError(
                "--make is for a class: a function is not made", repr(self.make), "leave it out"
            )
        choices = [c.choice for _, contract in chosen for c in contract.conventions if c.choice]
        choices += ["mask=seen"] * any(choice.startswith("mask=") for choice in choices)
        for word in self.conventions:
            if word not in choices:
                raise RegardError(
                    "--convention names no choice of this contract",
                    repr(word),
                    nearest(
                        word, choices, f"one of {', '.join(dict.fromkeys(choices)) or 'none: it has none'}"
                    ),
                )


def mapping(words: Iterable[str], option: str = "--map") -> dict[str, str]:
    """What `--map` says, or another option: `q=my_query,heads=4`, once or several times.

    >>> mapping(["q=my_query,k=my_key", "heads=4"])
    {'q': 'my_query', 'k': 'my_key', 'heads': '4'}
    """
    pairs = [pair.partition("=") for word in words for pair in word.split(",") if pair]
    for name, equals, value in pairs:
        if not (name and equals and value):
            raise RegardError(
                f"{option} takes NAME=VALUE",
                repr(name + equals + value),
                f"for example {option} q=my_query,heads=4",
            )
    return {name.strip(): value.strip() for name, _, value in pairs}


def made(words: str) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a constructor as they are written; a call inside is a settings object.

    >>> made("Attention(24, heads=3)"), made("Block(Config(n_embd=24))")[0]
    (([24], {'heads': 3}), [{'config': {'n_embd': 24}}])
    """
    call = _call(words, "--make", "--make 'Attention(dim=24, heads=3)'")
    try:
        values = [_value(argument) for argument in call.args]
        return values, {str(k.arg): _value(k.value) for k in call.keywords}
    except ValueError:
        raise RegardError(
            "--make takes plain values", repr(words), "for example --make 'Attention(dim=24, heads=3)'"
        ) from None


def called(words: str) -> dict[str, Any]:
    """The further arguments of a call as they are written: `f(q, k, v, d_k=8)` gives {'d_k': 8}."""
    call = _call(words, "--call", "--call 'f(q, k, v, d_k=8)'")
    try:
        return {str(k.arg): _value(k.value) for k in call.keywords}
    except ValueError:
        raise RegardError(
            "--call takes plain values by name", repr(words), "for example --call 'f(q, k, v, d_k=8)'"
        ) from None


def _call(words: str, option: str, example: str) -> ast.Call:
    try:
        found = ast.parse(words.strip(), mode="eval").body
    except (SyntaxError, ValueError):  # ValueError: characters that no source can hold
        found = None
    if not isinstance(found, ast.Call):
        raise RegardError(f"{option} takes one call", repr(words), f"for example {example}")
    return found


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Call) and not node.args:
        return {"config": {str(k.arg): _value(k.value) for k in node.keywords}}
    return ast.literal_eval(node)
