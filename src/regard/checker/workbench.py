"""Workbench of an adapter: the line to the person's code, the member to judge, its source."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regard.checker.arguments import Built, Unbuildable, fill
from regard.checker.process.session import Line, Raised
from regard.checker.source import Source


class Unfit(Exception):
    """The member cannot be run as the contract needs it: what, and what would help."""

    def __init__(self, slug: str, sentence: str, remedy: str, line: int | None = None) -> None:
        super().__init__(sentence)
        self.slug, self.sentence, self.remedy, self.line = slug, sentence, remedy, line


@dataclass
class Made:
    """An object that was made: its weights by name, who owns them, and what it can do."""

    number: int
    weights: dict[str, np.ndarray]
    owners: dict[str, str]
    learned: list[str]
    numbers: dict[str, Any]
    methods: dict[str, list[dict[str, Any]]]
    call: list[dict[str, Any]]
    module: bool
    built: Built
    kind: str = "float64"


@dataclass
class Workbench:
    """One member of a person's file, ready to be made and called."""

    line: Line
    member: dict[str, Any]
    members: list[dict[str, Any]]
    source: Source
    said: dict[str, str] = field(default_factory=dict)
    made: Any = None
    "What `about` says of an object that was handed over ready made."
    count: int = 0

    @property
    def name(self) -> str:
        """The member's name."""
        return self.member["name"]

    def build(self, known: dict[str, Any], name: str = "") -> Made:
        """Make the member (or another of the file) with arguments by meaning."""
        member = next((m for m in self.members if m["name"] == name), self.member)
        if self.made is not None and not name:
            return self._made(0, self.made, Built({}, {}))
        parameters = member["parameters"] if member["kind"] == "class" else []
        try:
            built = fill(parameters, known, self.said)
        except Unbuildable as unknown:
            words = f"{member['name']}'s constructor asks for '{unknown}', which the checker does not know"
            raise Unfit("unknown-argument", words, f"give it: --map {unknown}=VALUE") from None
        self.count += 1
        return self._made(
            self.count, self.line.ask("make", member["name"], self.count, [], built.named), built
        )

    def _made(self, number: int, about: dict[str, Any], built: Built) -> Made:
        return Made(
            number,
            built=built,
            **{
                name: about[name]
                for name in ("weights", "owners", "learned", "numbers", "methods", "call", "module")
            },
        )

    def precise(self, made: Made, values: list[Any], named: dict[str, Any], method: str = "") -> str:
        """The finest precision in which the member runs these inputs; it is left in that precision."""
        first: Raised | None = None
        for kind in ("float64", "float32"):
            try:
                self.line.ask("cast", made.number, kind)
                self.line.ask("call", made.number, values, named=named, method=method, kind=kind, seed=0)
                made.kind = kind
                return kind
            except Raised as error:
                first = first or error
        assert first
        raise first
