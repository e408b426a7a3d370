"""Contents of the book: what its pages are made of, and the list of all pages."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import get_args

from regard.claims import ClaimVerdict
from regard.lab.book.coverage import Item
from regard.lab.book.report import slugs
from regard.lab.book.sentences import answer, claim_sentence
from regard.lab.experiment import Chapter, Experiment
from regard.lab.records.record import Record
from regard.lab.store.run import Run

CHAPTERS: tuple[str, ...] = get_args(Chapter)
STATES = ("held", "failed", "not settled")


@dataclass(frozen=True)
class BookContents:
    """Everything that the pages speak of."""

    runs: Sequence[Run]
    "One for each experiment, in any order."
    experiments: Mapping[str, Experiment]
    "By name: all that the package has, and those that were run."
    items: Sequence[Item] = ()
    "What the courses ask, and where each answer stands."
    problems: Sequence[str] = ()
    "A sentence for each experiment that could not be run."
    preset: str = "quick"
    records: Mapping[str, Record] = field(default_factory=dict)
    "What was recorded of runs at full size, by experiment."
    stale: Mapping[str, Sequence[str]] = field(default_factory=dict)
    "For each record whose code has changed since it was made, the files that have."

    @cached_property
    def chapters(self) -> list[tuple[str, list[Run]]]:
        """The runs of each chapter that has some, in the order of reading."""
        groups = [(name, [one for one in self.runs if one.request["chapter"] == name]) for name in CHAPTERS]
        return [(name, sorted(group, key=lambda one: one.name)) for name, group in groups if group]

    @cached_property
    def by_name(self) -> dict[str, Run]:
        """The run of each experiment."""
        return {run.name: run for run in self.runs}

    def title(self, name: str) -> str:
        """What a page calls an experiment: its title, or else its question."""
        experiment = self.experiments.get(name)
        if experiment is None:
            return self.by_name[name].request["question"] if name in self.by_name else name
        return experiment.title or experiment.question

    def counts(self, runs: Sequence[Run]) -> Counter:
        """How many claims of some runs held, failed, and are not settled."""
        return Counter(verdict.state for run in runs for verdict in run.verdicts)

    def recorded(self, runs: Sequence[Run]) -> Counter:
        """The same of the records of the full presets."""
        records = [self.records[run.name] for run in runs if run.name in self.records]
        return Counter(one.state for record in records for one in record.claims.values())


def path(name: str) -> str:
    """Where the page of an experiment stands.

    >>> path("pca")
    'experiments/pca.html'
    """
    return f"experiments/{name}.html"


@dataclass(frozen=True)
class ToldClaim:
    """A claim of a run as the indexes tell it: its verdict, its sentence, and the link to it."""

    verdict: ClaimVerdict
    said: str
    link: str


def told_claims(run: Run, record: Record | None = None) -> list[ToldClaim]:
    """Every claim of a run with its sentence and its link, and what a record settled of it."""
    ids, recorded = slugs(run), record.claims if record else {}
    return [
        ToldClaim(
            one,
            claim_sentence(run, one, recorded.get(one.claim.name)),
            f"/{path(run.name)}#{ids[one.claim.name]}",
        )
        for one in run.verdicts
    ]


def first_sentence(run: Run, record: Record | None = None) -> str:
    """The answer of a run in a sentence; nothing where it makes no claim."""
    return next(iter(answer(run, record)), "")
