"""What the checker says of one implementation: findings, and the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from regard.checker.reading.source import Place

State = Literal["correct", "mistake", "undecided"]
CODES = {"correct": 0, "mistake": 1, "undecided": 3}
"Exit codes; 2 is a command that cannot be understood."


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing noticed: a mistake, a convention, a law that breaks without a name, or a note."""

    kind: Literal["mistake", "unknown", "convention", "weak", "note", "stopped"]
    slug: str
    sentence: str
    law: str = ""
    evidence: tuple[str, ...] = ()
    place: Place | None = None
    remedy: str = ""
    page: str = ""
    declared: bool = True
    "Of a convention: whether the file or the command itself says so, so that it is nothing remarkable."
    candidates: tuple[str, ...] = ()
    "Causes that explain it equally well, where the evidence cannot tell them apart."


@dataclass(frozen=True, kw_only=True)
class Picture:
    """Expected and actual, side by side."""

    title: str
    expected: list[list[float]]
    actual: list[list[float]]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What is said of one implementation."""

    contract: str
    member: str
    state: State
    sentence: str
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    precision: str = ""
    laws: dict[str, bool] = field(default_factory=dict)
    "Each law that was tried, and whether it held."
    picture: Picture | None = None
    seconds: float = 0.0
    "Seconds from the first probe to the verdict."
    first: float | None = None
    "Seconds from the first probe to the first finding."

    @property
    def slugs(self) -> tuple[str, ...]:
        """The mistakes it names."""
        return tuple(f.slug for f in self.findings if f.kind == "mistake")

    @property
    def head(self) -> str:
        """What the verdict line begins with."""
        return manner(self.findings) if self.state == "correct" else self.state

    @property
    def code(self) -> int:
        """The exit code."""
        return CODES[self.state]


def manner(findings: tuple[Finding, ...] | list[Finding]) -> str:
    """How something is correct: plainly, by another convention, or with a weakness.

    >>> manner(()), manner([Finding(kind="weak", slug="a", sentence="slow")])
    ('correct', 'correct, but slow')
    """
    weak = "; ".join(f.sentence for f in findings if f.kind == "weak")
    other = "; ".join(f.sentence for f in findings if f.kind == "convention" and not f.declared)
    by = f"correct, by another convention: {other}" if other else "correct"
    return f"{by}, but {weak}" if weak else by


def titled(title: str, facts: Mapping[str, Any]) -> str:
    """What a contract is called, of a layer that takes no mask.

    >>> titled("multi-head attention with a mask", {"mask": None}), titled("attention with a mask", {"mask": "m"})
    ('multi-head attention, which takes no mask', 'attention with a mask')
    """
    return title.replace(" with a mask", ", which takes no mask") if facts.get("mask", "") is None else title
