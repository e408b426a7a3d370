"""A reference as a program: named steps that take values and give values, each of which an edit may change."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Do = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Value:
    """What a step gives, in words: its noun, and the names of its axes."""

    noun: str = ""
    "Such as `the scores`; what has none is not edited."
    axes: tuple[str, ...] = ()
    "What lies along each axis; values with the same axes may be taken for each other."
    count: str = "are"
    "The verb that the noun takes."
    weight: bool = False
    "Whether it is a weight, to which people do less than to what is computed."
    role: str = ""
    "Of a weight: whose it is; weights of one role are exchanged together."


@dataclass(frozen=True)
class ProgramStep:
    """One step: what it takes, what it does, what it gives."""

    name: str
    takes: tuple[str, ...]
    gives: str | tuple[str, ...]
    do: Do
    noun: str = ""
    "Such as `the softmax`; a step without one is neither left out nor exchanged."
    says: str = ""
    "What it does with its operands, by their names: `{v} are averaged`."
    key: str = ""
    "The name by which a written mistake replaces it, where several steps are replaced together."
    look: str = ""
    "The kind of expression to point at in the person's source."
    instead: tuple[tuple[str, Do], ...] = ()
    "What people write in its place, in words and as a function of the same operands."

    @property
    def results(self) -> tuple[str, ...]:
        """The names of what it gives."""
        return (self.gives,) if isinstance(self.gives, str) else self.gives


@dataclass(frozen=True)
class Rewired:
    """A step that takes other values than the program says."""

    takes: tuple[str, ...]
    do: Do

    def __call__(self, *values: Any) -> Any:
        return self.do(*values)


@dataclass(frozen=True, eq=False)
class Program:
    """Steps in order. As a function of what it takes it is itself a step of another program."""

    takes: tuple[str, ...]
    steps: tuple[ProgramStep, ...]
    gives: tuple[str, ...]
    values: Mapping[str, Value] = field(default_factory=dict)
    others: tuple[tuple[str, str, Mapping[str, Do]], ...] = ()
    "What people write that changes more than one step: a slug, a sentence, the steps."

    def run(self, given: Mapping[str, Any], steps: Mapping[str, Do]) -> dict[str, Any]:
        """Every value, with some steps replaced by name."""
        known = dict(given)
        for step in self.steps:
            known.update(self.only(step, known, steps))
        return known

    def only(self, step: ProgramStep, known: Mapping[str, Any], steps: Mapping[str, Do]) -> dict[str, Any]:
        """What one step gives, as it is or replaced."""
        do = steps.get(step.name) or steps.get(step.key) or step.do
        takes = do.takes if isinstance(do, Rewired) else step.takes
        found = do(*[known[name] for name in takes])
        return (
            {step.gives: found} if isinstance(step.gives, str) else dict(zip(step.gives, found, strict=True))
        )

    def __call__(self, *given: Any) -> Any:
        known = self.run(dict(zip(self.takes, given, strict=True)), {})
        return known[self.gives[0]] if len(self.gives) == 1 else tuple(known[name] for name in self.gives)

    def replaced(self, changes: Mapping[str, Do]) -> "Program":
        """The program with some steps replaced by name."""
        steps = tuple(
            ProgramStep(s.name, _takes(changes[s.name], s), s.gives, changes[s.name])
            if s.name in changes
            else s
            for s in self.steps
        )
        return replace(self, steps=steps)

    def before(self, step: ProgramStep) -> Iterator[str]:
        """The values that are there when a step is taken, the latest first."""
        place = self.steps.index(step)
        yield from (name for s in reversed(self.steps[:place]) for name in s.results)
        yield from self.takes

    def noun(self, name: str) -> str:
        """What a value is called."""
        return self.values[name].noun if name in self.values else ""


def _takes(do: Do, step: ProgramStep) -> tuple[str, ...]:
    return do.takes if isinstance(do, Rewired) else step.takes
