"""Workbench of an adapter: the line to the person's code, the member to judge, its source."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from regard.checker.process.session import Line, Raised, sizes_of
from regard.checker.reading.arguments import Built, Unbuildable, fill, mean
from regard.checker.reading.settings import by_keyword, guess, is_settings, settings
from regard.checker.reading.source import Source
from regard.checker.reading.uses import uses

LACKS = re.compile(r"'Configuration' object has no attribute '(\w+)'")
FIELDS = 12
"Fields that are added to a settings object, one after the other, before it is given up."


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
    lazy: bool = False
    "Whether some weights have no shape before the first call."
    stray: list[str] = field(default_factory=list)
    "Weights that are not registered."
    still: dict[str, np.ndarray] = field(default_factory=dict)
    "Vectors of zeros or ones that are not registered: weights, if anything depends on them."
    same: list[list[str]] = field(default_factory=list)
    "Names that stand for one weight."
    empty: list[str] = field(default_factory=list)
    "Names of weights that the constructor never fills."
    stretch: int = 0
    "What was added to the widths that were asked for."
    hidden: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    "Methods whose names begin with an underscore."


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
    making: tuple[list[Any], dict[str, Any]] | None = None
    "Arguments of the constructor, where the person gave them."
    calling: dict[str, Any] = field(default_factory=dict)
    "Further arguments of every call, where the person gave them."
    doubts: list[str] = field(default_factory=list)
    "What was guessed on the way: where it then stops, that may be the guess's fault."
    strict: bool = False
    "Whether the contract's own choice is asked for wherever there is one."
    wanted: tuple[str, ...] = ()
    "Conventions that were asked for, as `--convention` has them."
    stretch: int = 0
    "What is added to the widths that are asked for: a second time, to see that the first were not recognised."
    late: dict[str, Any] = field(default_factory=dict)
    "An argument of the constructor that every call gives anew, and what it is first: a graph that a layer is made for."
    partial: bool = False
    "Whether only definitions of the file were run, so that a name may be missing that the whole file has."

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
        parameters = [p for p in parameters if p["name"] not in self.late]
        if self.making is not None and not name:
            built = Built(self.making[1], {})
            return self._ask(member, self.making[0], built)
        held = {p: settings(self.source, p, known) for p in self._settings(member, parameters)}
        try:
            built = fill(parameters, known, self.said, held, uses(self.source, member["name"]))
        except Unbuildable as unknown:
            words = f"{member['name']}'s constructor asks for '{unknown}', which the checker does not know"
            raise Unfit(
                "unknown-argument", words, f"give it: --map {unknown}=VALUE, or --make '{member['name']}(…)'"
            ) from None
        if any(p["star"] for p in parameters) and (words := by_keyword(self.source, member["name"])):
            more = settings(self.source, words, {m: v for m, v in known.items() if m not in built.meant})
            more = {word: value for word, value in more.items() if word not in built.named}
            told = {meaning: word for word in more if (meaning := mean(word, list(known)))}
            built = replace(built, named=built.named | more, meant=built.meant | told)
            self.doubts += [f"{word} guessed from **{words}" for word in more]
        built = replace(built, named=built.named | self.late)
        self.doubts += [f"{word} taken for a size" for word in built.guessed]
        self.doubts += [f"{word} taken for a graph" for word in self.late]
        self.doubts += [f"{word} guessed from the fields that are read" for word in held]
        return self._settled(member, built, known)

    def tell(self, named: dict[str, Any]) -> Made:
        """Make the member with arguments by name, as they are."""
        return self._ask(self.member, [], Built(named, {}))

    def _settings(self, member: dict[str, Any], parameters: list[dict[str, Any]]) -> list[str]:
        """The parameters of a constructor that are settings objects."""
        return [
            p["name"]
            for p in parameters
            if p["required"] and not p["star"] and is_settings(self.source, member["name"], p["name"])
        ]

    def _settled(self, member: dict[str, Any], built: Built, known: dict[str, Any]) -> Made:
        """Make it; a field that its settings lack is guessed and added, as often as it takes."""
        configs = [v["config"] for v in built.named.values() if isinstance(v, dict) and "config" in v]
        for _ in range(FIELDS):
            try:
                return self._ask(member, [], built)
            except Raised as error:
                lacking = (
                    LACKS.search(error.words)
                    if error.kind != "KeyError"
                    else re.fullmatch(r"'(\w+)'", error.words)
                )
                if not configs or not lacking:
                    raise
                self.doubts.append(f"{lacking[1]} guessed, which its settings lack")
                for config in configs:
                    config[lacking[1]] = guess(lacking[1], known)
        return self._ask(member, [], built)

    def _ask(self, member: dict[str, Any], values: list[Any], built: Built) -> Made:
        self.count += 1
        arrays = self.source.is_numpy(member["name"])
        late = {"late": next(iter(self.late))} if self.late else {}
        about = self.line.ask("make", member["name"], self.count, values, built.named, arrays=arrays, **late)
        return self._made(self.count, about, built)

    def calm(self, made: Made) -> Made:
        """The same without dropout, where its constructor takes one; the same weights are still to be put in."""
        return self.again(made, {name: without(name, value) for name, value in made.built.named.items()})

    def again(self, made: Made, named: dict[str, Any]) -> Made:
        """The same with other arguments of its constructor."""
        values = self.making[0] if self.making is not None else []
        return replace(
            self._ask(self.member, values, replace(made.built, named=named)), kind=made.kind, lazy=made.lazy
        )

    def _made(self, number: int, about: dict[str, Any], built: Built) -> Made:
        return Made(
            number,
            built=built,
            stretch=self.stretch,
            **{
                name: about[name]
                for name in (
                    "weights",
                    "owners",
                    "learned",
                    "numbers",
                    "methods",
                    "hidden",
                    "call",
                    "module",
                    "lazy",
                    "stray",
                    "still",
                    "same",
                    "empty",
                )
            },
        )

    def precise(self, made: Made, values: list[Any], named: dict[str, Any], method: str = "") -> str:
        """The finest precision in which the member runs these inputs; it is left in that precision."""
        first: Raised | None = None
        for kind in ("float64", "float32"):
            try:
                self.line.ask("cast", made.number, kind)
                words = named | self.calling
                self.line.ask("call", made.number, values, named=words, method=method, kind=kind, seed=0)
                made.kind = kind
                if made.lazy:
                    about = self.line.ask("about", made.number)
                    made.weights, made.owners = about["weights"], about["owners"]
                    made.learned, made.lazy, made.same = about["learned"], about["lazy"], about["same"]
                return kind
            except Raised as error:
                error.given = sizes_of(values, named)
                first = first or error
        assert first
        raise first


def without(name: str, value: Any) -> Any:
    """An argument of a constructor, with every dropout in it at zero.

    >>> without("drop", 0.3), without("cfg", {"config": {"n": 4, "attn_pdrop": 0.1}})
    (0.0, {'config': {'n': 4, 'attn_pdrop': 0.0}})
    """
    if isinstance(value, dict) and set(value) == {"config"}:
        return {"config": {word: without(word, held) for word, held in value["config"].items()}}
    return 0.0 if isinstance(value, float) and mean(name, ["dropout"]) else value
