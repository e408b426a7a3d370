"""Sentences about results, composed from a run's own numbers and verdicts: the answer that opens a report."""

from collections.abc import Mapping
from math import isfinite, isnan

from regard.claims import ClaimVerdict
from regard.lab.book.numerals import BILLIONS, THOUSANDS
from regard.lab.experiment import FOUND, is_of_original
from regard.lab.statistics import Summary, summarise
from regard.lab.store.run import Run

CROSSED = "the interval "
"How the reason begins why a mean over seeds, or a comparison over them, settles nothing."


class ShownNumber(float):
    """A measured number that a sentence shows with four digits, or to the last whole one, unless it says how.

    >>> f"{ShownNumber(0.123456)} or {ShownNumber(0.123456):.0%} of {ShownNumber(21005.4)}"
    '0.1235 or 12 % of 21,005'
    """

    def __format__(self, how: str) -> str:
        if how.endswith("%"):
            return f"{format(float(self), how)[:-1]} %"
        if how:
            return format(float(self), how)
        if THOUSANDS <= abs(self) < BILLIONS:
            return f"{float(self):,.0f}"
        return f"{int(self)}" if isfinite(self) and self == int(self) and abs(self) < 1e4 else f"{self:.4g}"


def summaries(run: Run) -> dict[str, Summary]:
    """What the run measured, curves aside: the mean over seeds, or the difference of paired variants."""
    values: dict[str, list[float]] = {}
    for one in run.measured:
        if not one.at:
            values.setdefault(one.name, []).append(one.value)
    return {name: summarise(found) for name, found in values.items()} | {
        one.name: one.difference for one in run.compared
    }


def opening(run: Run) -> list[str]:
    """The answer found: the sentences of the claims that the experiment opens with.

    Where there was no data, one sentence says so. What was found in data that a person chose comes first, and
    what is claimed of the original data then stays out.
    """
    if run.state == "without data" and run.verdicts and all(one.value is None for one in run.verdicts):
        return [f"Nothing is settled: this was run {run.verdicts[0].reason}."]
    first = run.request.get("opens_with") or [one.claim.name for one in run.verdicts[:1]]
    own = [one.text for one in run.said if one.name == FOUND][-1:]
    chosen = {one.claim.name: one for one in run.verdicts if not (own and is_of_original(one))}
    found = summaries(run)
    return own + [sentence(chosen[name], found) for name in first if name in chosen]


def findings(run: Run) -> list[str]:
    """The sentences of all other claims, in their order."""
    said = set(opening(run))
    found = summaries(run)
    return [one for one in (sentence(verdict, found) for verdict in run.verdicts) if one not in said]


def sentence(verdict: ClaimVerdict, found: Mapping[str, Summary]) -> str:
    """What a verdict says in words: another sentence where the claim held, failed, or stays open.

    >>> from regard.claims import Claim
    >>> claim = Claim("growth", low=2, says="It grows {value} times.", otherwise="It hardly grows.")
    >>> [sentence(claim.settle(value), {}) for value in (3.0, 1.5)]
    ['It grows 3 times.', 'It hardly grows.']
    >>> sentence(claim.settle(None, reason="no data"), {})
    'Not settled: growth (no data).'
    >>> print(sentence(claim.settle(2.5, interval=(1.5, 3.5)), {}))
    Not settled: growth (2.5 was measured and at least 2 expected: the interval 1.5 to 3.5 crosses the band).
    """
    claim = verdict.claim
    if is_of_original(verdict):
        return f"Not asked: {claim.asks or claim.name} (this is about the original data)."
    if verdict.state == "not settled" or verdict.value is None:
        return f"Not settled: {claim.asks or claim.name} ({_open(verdict)})."
    if isnan(verdict.value):
        # No sentence that a claim has in store speaks of this.
        return _plain(verdict)
    try:
        return (claim.says if verdict.state == "held" else claim.otherwise).format_map(
            _values(verdict.value, found.get(claim.name), found)
        ) or _plain(verdict)
    except KeyError:
        return _plain(verdict)


def _open(verdict: ClaimVerdict) -> str:
    """Why a verdict is open, after what was measured where the spread of that is the reason."""
    if verdict.value is None or not verdict.reason.startswith(CROSSED):
        return verdict.reason
    return f"{_worded(verdict.value)} was measured and {verdict.claim.band} expected: {verdict.reason}"


def _values(value: float, own: Summary | None, found: Mapping[str, Summary]) -> dict:
    low, high = (own.low, own.high) if own and isfinite(own.low) else (value, value)
    others = {name: ShownNumber(one.mean) for name, one in found.items()}
    return {"value": ShownNumber(value), "low": ShownNumber(low), "high": ShownNumber(high), "of": others}


def _plain(verdict: ClaimVerdict) -> str:
    claim, value = verdict.claim, _worded(verdict.value or 0.0)
    if verdict.state == "held":
        return f"As expected ({claim.band}), the {claim.name} is {value}."
    return f"Against expectation, the {claim.name} is {value} where {claim.band} was claimed."


def _worded(value: float) -> str:
    """A number in a sentence; in words where it is none."""
    if isnan(value):
        return "not a number (NaN)"
    return f"{ShownNumber(value)}" if isfinite(value) else "infinite" if value > 0 else "minus infinity"
