"""The report on a file or an object: all verdicts, as text, as HTML in a notebook, as JSON."""

from dataclasses import asdict, dataclass
from typing import Any

from regard.checker.report.notebook import html
from regard.checker.report.terminal import clean, lines
from regard.checker.report.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything said of a file or an object."""

    target: str
    verdicts: tuple[Verdict, ...]
    level: str = "default"
    read: tuple[str, ...] = ()
    "How the file was read, where that was not as Python would."
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
        """For a notebook: everything that may come from a person's code is escaped."""
        return "".join(html(verdict, self.level) for verdict in self.verdicts)

    def __str__(self) -> str:
        """As plain text."""
        said = [line for verdict in self.verdicts for line in lines(verdict, self.target, self.level)]
        return "\n".join([*said, *(f"  read: {clean(words)}" for words in self.read)])
