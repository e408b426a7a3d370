"""What the checker says of one implementation: findings, and the verdict."""

from dataclasses import dataclass, field
from typing import Literal

from regard.checker.source import Place

State = Literal["correct", "mistake", "undecided"]
CODES = {"correct": 0, "mistake": 1, "undecided": 3}
"Exit codes; 2 is a command that cannot be understood."


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing noticed: a mistake, a convention, a law that breaks without a name, or a note."""

    kind: Literal["mistake", "unknown", "convention", "note", "stopped"]
    slug: str
    sentence: str
    law: str = ""
    evidence: tuple[str, ...] = ()
    place: Place | None = None
    remedy: str = ""
    page: str = ""
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
    def code(self) -> int:
        """The exit code."""
        return CODES[self.state]
