"""An experiment: a question, how it is put to the test, and the claims that its measurements settle."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, Literal

from regard.claims import Claim, ClaimVerdict
from regard.lab.events import Event

Chapter = Literal["attention", "text", "graphs", "images", "unsupervised", "lab", "theory", "yours"]

FOUND = "Found in your data"
"The heading of a text that answers for data which a person chose: the last of a run opens its answer."
ORIGINAL = "of the original data"
"How the reason begins why a claim says nothing of such data."


def is_of_original(verdict: ClaimVerdict) -> bool:
    """Whether a claim is open because it speaks of the original data, and another was brought."""
    return verdict.state == "not settled" and verdict.reason.startswith(ORIGINAL)


def not_asked(count: int) -> str:
    """How many claims say nothing of data that a person brought.

    >>> not_asked(6)
    '6 claims are about the original data and were not asked'
    """
    about = (
        "claim is about the original data and was"
        if count == 1
        else "claims are about the original data and were"
    )
    return f"{count} {about} not asked"


@dataclass(frozen=True, kw_only=True)
class Context:
    """What a run gives its experiment: a folder of its own, the seed, and how much time is left."""

    folder: Path
    "Files of the run's own: checkpoints, samples."
    seed: int = 0
    "The seed from which everything random in the run follows."
    deadline: float = inf
    "When the budget ends, on the clock of time.monotonic."

    def left(self) -> float:
        """Seconds until the budget ends."""
        return self.deadline - time.monotonic()


@dataclass(frozen=True)
class NoSettings:
    """Settings of an experiment that has none."""


@dataclass(frozen=True, kw_only=True)
class OwnWords:
    """What an experiment says of itself where a person brings data in place of the original."""

    data: str
    "The setting by which the data comes."
    question: str
    "What is asked of it: in one sentence, which is also the heading of the report."
    idea: str = ""
    "The idea, where that of the original does not fit; nothing else either is said again that fits both."
    method: str = ""
    "How it is measured."
    see: str = ""
    "What a person should see in the result."


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A question with everything needed to answer it; `run` yields what it measures and draws."""

    question: str
    "What a person wants to know, in one sentence."
    method: str = ""
    "How it is measured; paragraphs are parted by empty lines."
    see: str = ""
    "What a person should see in the result."
    claims: tuple[Claim, ...] = ()
    "What is expected, said before the measurement."
    opens_with: tuple[str, ...] = ()
    "The one or two claims whose sentences answer the question and open the report (default: the first)."
    presets: Mapping[str, Any] = field(default_factory=lambda: {"quick": NoSettings()})
    "Settings (a frozen dataclass) for 'quick' and 'full'."
    seconds: float = 1.0
    "How long the quick preset takes on two cores."
    run: Callable[[Any, Context], Iterator[Event]]
    "Takes the settings and the session, yields events."
    title: str = ""
    "The heading of its page: a sentence that states the topic, not a result."
    own: OwnWords | None = None
    "What it says of itself over data that a person brings, if what is said of the original does not fit it."
    derives: tuple[int, ...] = ()
    "Checklist items whose derivation this is, while another experiment owns them."
    correction: str = ""
    "Where the assignment it came from, or its published answers, are wrong, and what is right."
    chapter: Chapter = "yours"
    "Its place in the book."
    verb: str = "run"
    "The verb of the command line that runs it."
    name: str = field(default="", compare=False)
    "Given by the registry: the file's name with dashes."

    @property
    def answers(self) -> tuple[int, ...]:
        """The checklist items that its claims settle."""
        return tuple(sorted({item for claim in self.claims for item in claim.items}))
