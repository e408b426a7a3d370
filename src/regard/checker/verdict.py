"""What the checker says: findings, the verdict on one implementation, the report on a file."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from regard.checker.reading import Place

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


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything said of a file or an object."""

    target: str
    verdicts: tuple[Verdict, ...]
    level: str = "default"
    imports: float = 0.0
    "Seconds that the person's own file took to import."
    ready: float = 0.0
    "Seconds from the command to the first probe, those imports aside."

    @property
    def code(self) -> int:
        """The exit code: a mistake outweighs what is undecided."""
        states = [verdict.state for verdict in self.verdicts]
        return 1 if "mistake" in states else 3 if "undecided" in states or not states else 0

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self) | {"code": self.code}

    def _repr_html_(self) -> str:
        from regard.checker.page import html

        return html(self)

    def __str__(self) -> str:
        from regard.checker.terminal import text

        return text(self)
