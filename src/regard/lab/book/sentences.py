"""Sentences of claims as a page tells them: what is open, why, and what a recorded run settled of it."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol, runtime_checkable

from regard.claims import ClaimVerdict
from regard.lab.answer import opening, sentence, summaries
from regard.lab.store.run import Run

NOTHING = re.compile(r"nothing measured under the name '.*?'(?=\)|$)")
STAND_IN = re.compile(r"It stands in for (\S+), which is not reachable from here")
SMALL = "only the full preset settles it"
"The reason of a claim that a quick run is too small for."


@runtime_checkable
class RecordedVerdict(Protocol):
    """What came of a claim in a recorded run, as `lab.records` keeps it."""

    @property
    def state(self) -> str: ...

    @property
    def value(self) -> float | None: ...


@runtime_checkable
class RecordedRun(Protocol):
    """A record of which the claims alone are asked for."""

    @property
    def claims(self) -> Mapping[str, RecordedVerdict]: ...


def answer(run: Run, record: RecordedRun | None = None) -> list[str]:
    """The sentences that open the page of a run."""
    reworded = [NOTHING.sub(_nothing(run), one) for one in opening(run)]
    claims = {_sentence(run, one): one for one in run.verdicts}
    return [
        claim_sentence(run, claims[one], record.claims.get(claims[one].claim.name) if record else None)
        if one in claims
        else one
        for one in reworded
    ]


def claim_sentence(run: Run, verdict: ClaimVerdict, recorded: RecordedVerdict | None = None) -> str:
    """What came of a claim in a run; what that was too small for, as a recorded run settled it."""
    by_record = settled_by_record(verdict, recorded)
    if by_record:
        return f"Not settled at this size: {verdict.claim.asks or verdict.claim.name}; {by_record}."
    return _sentence(run, verdict)


def settled_by_record(verdict: ClaimVerdict, recorded: RecordedVerdict | None) -> str:
    """The recorded verdict on a claim that only the full preset settles; nothing where there is none.

    >>> from regard.claims import Claim
    >>> from regard.lab.records.record import RecordedClaim
    >>> verdict = Claim("growth", low=2).settle(None, reason=SMALL)
    >>> settled_by_record(verdict, RecordedClaim("held", 3.14159, ""))
    'settled by the recorded run: held, 3.142'
    """
    if verdict.reason != SMALL or recorded is None or recorded.state == "not settled":
        return ""
    value = "" if recorded.value is None else f", {recorded.value:.4g}"
    return f"settled by the recorded run: {recorded.state}{value}"


def number_named(run: Run, verdict: ClaimVerdict) -> str:
    """The name of a claim's number; of a difference that does not say so itself, what is taken from what."""
    name = verdict.claim.name
    pair = next((one.labels for one in run.compared if one.name == name), None)
    if pair is None or any(word in name for word in (" minus ", " less ")):
        return name
    return f"{name}: {pair[0]} minus {pair[1]}"


def _sentence(run: Run, verdict: ClaimVerdict) -> str:
    reason = NOTHING.sub(_nothing(run), verdict.reason)
    return sentence(replace(verdict, reason=reason), summaries(run))


def _nothing(run: Run) -> str:
    """That nothing was measured, and why where the run says so: another text was read."""
    missing = next((found[1] for one in run.said if (found := STAND_IN.search(one.text))), "")
    return "this run measured nothing for it" + (f": another text stood in for {missing}" if missing else "")
