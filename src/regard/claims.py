"""A claim says in advance where a number will fall, why, and who said so; a verdict says what came of it."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass
from math import inf, isfinite, isnan
from typing import Any, Literal

from regard.errors import RegardError

State = Literal["held", "failed", "not settled"]


@dataclass(frozen=True)
class Claim:
    """The band in which a measurement is expected.

    >>> claim = Claim("variance", low=0.9, high=1.1, why="d / d = 1", source="Berkeley HW6, 2c")
    >>> claim.settle(1.02).state, claim.settle(8.0).state, claim.settle(None, reason="no data").state
    ('held', 'failed', 'not settled')
    """

    name: str
    "The measurement it speaks of."
    _: KW_ONLY
    why: str = ""
    "The reason for the band."
    source: str = ""
    "Where the claim comes from; nothing where it is a person's own."
    low: float = -inf
    "Smallest value that holds."
    high: float = inf
    "Largest value that holds."
    preset: Literal["quick", "full"] = "quick"
    "The smallest preset that is able to settle it."
    data: str = ""
    "The setting by which a person brings data of their own, if it speaks of the original data alone."
    items: tuple[int, ...] = ()
    "The checklist items that it settles, together with their other claims."
    says: str = ""
    "The sentence where it holds; `{value}`, `{low}`, `{high}` and `{of[NAME]}` are the run's numbers."
    otherwise: str = ""
    "The sentence that takes its place where it fails, in other words."
    asks: str = ""
    "What stays open where it is not settled: 'whether …'."

    def __post_init__(self) -> None:
        if not (self.low <= self.high and (isfinite(self.low) or isfinite(self.high))):
            raise RegardError(
                f"the claim on '{self.name}' has a band that cannot hold or cannot fail",
                f"low={self.low}, high={self.high}",
                "give a low, a high, or both with low at most high",
            )

    def settle(
        self, value: float | None, *, interval: tuple[float, float] | None = None, reason: str = ""
    ) -> "ClaimVerdict":
        """Hold the band against a value, or against an interval of which the whole must agree."""
        if value is None:
            return ClaimVerdict(
                self, "not settled", None, reason or f"nothing measured under the name '{self.name}'"
            )
        low, high = interval or (value, value)
        if self.low <= low and high <= self.high:
            return ClaimVerdict(self, "held", value, reason)
        if isnan(value) or high < self.low or low > self.high or interval is None:
            return ClaimVerdict(self, "failed", value, reason)
        return ClaimVerdict(
            self, "not settled", value, f"the interval {low:.4g} to {high:.4g} crosses the band"
        )

    def plain(self) -> dict[str, Any]:
        """The claim as JSON has it: an open end of the band is left out."""
        return {name: value for name, value in asdict(self).items() if value not in (inf, -inf)}

    @classmethod
    def from_plain(cls, fields: Mapping[str, Any]) -> "Claim":
        """The claim that `plain` made into a dictionary; JSON has made its items a list.

        >>> Claim.from_plain({"name": "height", "low": 1.0, "items": [6]}).items
        (6,)
        """
        return cls(**{**fields, "items": tuple(fields.get("items", ()))})

    @property
    def band(self) -> str:
        """The band as a person reads it."""
        if self.low == self.high:
            return f"exactly {self.low:.4g}"
        if isfinite(self.low) and isfinite(self.high):
            return f"{self.low:.4g} to {self.high:.4g}"
        return f"at least {self.low:.4g}" if isfinite(self.low) else f"at most {self.high:.4g}"


@dataclass(frozen=True)
class ClaimVerdict:
    """What came of a claim: held, failed, or not settled and why not."""

    claim: Claim
    state: State
    value: float | None
    reason: str = ""
