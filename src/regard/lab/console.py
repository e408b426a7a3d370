"""Terminal output: progress bars, tables, verdicts."""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from math import ceil
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from regard.claims import ClaimVerdict
from regard.lab.answer import opening
from regard.lab.bench import Result
from regard.lab.book.provenance import opening_words, provenance
from regard.lab.book.report import SIGNS, numbers, short
from regard.lab.events import Event, ProgressEvent, clock
from regard.lab.experiment import ORIGINAL, Experiment, is_of_original, not_asked
from regard.lab.runner import Watch
from regard.lab.settings import listing
from regard.lab.store.diff import Change
from regard.lab.store.resumption import TAKEN_UP, saved
from regard.lab.store.run import Run
from regard.lab.tables import Column, show_table
from regard.lab.train.learned import learned
from regard.theory.text import plain, told
from regard.theory.theorem import Proof

COLOURS = {"held": "green", "failed": "red", "not settled": "yellow"}
console = Console(highlight=False)
READ = ("The text", "Your graph", "Your points", "Your pictures")
"What an experiment says of what it reads: a person sees it without opening the report."
NOTHING_SAVED = "nothing was saved on its way"
HANG = 14
"Where the name of a claim stands, behind its verdict."
TELLING = 0.05
"The share that must be done before it tells how long the rest takes."
QUIET_STEP = 5.0  # seconds between lines where the output is no terminal


class Screen(AbstractContextManager["Screen"]):
    """Progress over one experiment or many, each weighted by the seconds it declares."""

    def __init__(self, experiments: Sequence[Experiment]) -> None:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TimeElapsedColumn(),
            TextColumn("so far{task.fields[left]}"),
        )
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._total = sum(one.seconds for one in experiments)
        self._behind = 0.0
        self._task: TaskID = self._progress.add_task("starting", total=self._total, left="")
        self._began, self._said = time.monotonic(), 0.0

    def __enter__(self) -> "Screen":
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def watch(self, experiment: Experiment) -> Watch:
        """Show what an experiment does."""
        before, self._behind = self._behind, self._behind + experiment.seconds
        share = 0.0
        self._show(ProgressEvent(experiment.name, 0.0), before)

        def see(event: Event) -> None:
            nonlocal share
            if isinstance(event, ProgressEvent):
                # Below zero: it is not known, and as large as it was.
                share = event.share if event.share >= 0 else share
                named = replace(event, what=f"{experiment.name}: {event.what}")
                self._show(named, before + experiment.seconds * share)

        return see

    def _show(self, event: ProgressEvent, behind: float) -> None:
        task: Task = self._progress.tasks[0]
        done, now = max(behind, task.completed), time.monotonic()
        left = self._left(done, now) if event.left is None else event.left
        said = f", about {clock(left)} left" if left else ""
        self._progress.update(self._task, description=escape(event.what), completed=done, left=said)
        if not console.is_terminal and now - self._said > QUIET_STEP:
            self._said = now
            console.print(f"{100 * behind / self._total:3.0f} %  {escape(event.told)}")

    def _left(self, done: float, now: float) -> float:
        """Seconds to the end, if the rest goes as what is done did; 0 where too little is done to tell."""
        share = done / self._total
        return (now - self._began) * (1 - share) / share if share > TELLING else 0.0


def show_outcome(run: Run) -> None:
    """What came of a run: its claims, and where to read on."""
    request = run.request
    changed = f" with {', '.join(request['changes'])}" if request["changes"] else ""
    facts = f"{request['preset']}{changed} · seed {request['seed']} · {run.state}"
    console.print(f"[bold]{escape(request['name'])}[/]  [dim]{escape(facts)}[/]", soft_wrap=True)
    training = request.get("verb") == "train"
    if not training:
        _say(f"[italic]{escape(request['question'])}[/]\n")
    for one in run.said:
        if one.name in READ:
            _say(f"[dim]{escape(one.text)}[/]\n")
        elif one.name == TAKEN_UP:
            _say(f"[red]{escape(one.name)}[/]: {escape(one.text)}\n")
    if run.state == "without data":
        _say(f"[red]{escape(run.result['error'])}[/]\n")
    for said in learned(run) if training else opening(run):
        _say(f"[bold]{escape(told(said))}[/]\n")
    original = [one for one in run.verdicts if is_of_original(one)]
    for one in run.verdicts:
        if one not in original:
            _show_verdict(one)
    if original:
        _say(f"[dim]{escape(_of_original(original))}[/]")
    if not run.verdicts and not training:
        _say("[dim]this run has no claims[/]")
    gap = "" if training else "\n"
    console.print(f"{gap}[dim]report:[/] {run.path / 'report.html'}", soft_wrap=True)
    if run.state in ("stopped", "out of time", "interrupted"):
        _show_way_on(run)


def _of_original(open_ones: Sequence[ClaimVerdict]) -> str:
    """How many claims say nothing of data that a person brought."""
    given = open_ones[0].reason.removeprefix(f"{ORIGINAL}; ")
    return f"{not_asked(len(open_ones))}; {given}"


def _show_way_on(run: Run) -> None:
    """How to take up a run that was cut off, and what is kept of it."""
    if saved(run):
        return console.print(f"[dim]go on with:[/] {opening_words(run)} --resume {run.id}", soft_wrap=True)
    share, minutes, more = run.result.get("share", 0.0), "", ""
    if run.state == "out of time" and share > 0:
        # A tenth more than it seems to take: no two runs take the same time.
        minutes = f" --minutes {ceil(1.1 * run.result['seconds'] / share / 60)}"
        more = f", and {100 * share:.0f} % of it was done in {run.result['seconds']:.0f} s"
    elif run.state == "out of time":
        more = "; give it more --minutes, or none"
    command = f"{opening_words(run)} --resume {run.id}{minutes}"
    console.print(f"[dim]begin anew with:[/] {command}", soft_wrap=True)
    return _say(f"[dim]{NOTHING_SAVED}: it begins from its start again{more}[/]")


def show_taken_up(run: Run) -> None:
    """Where a run that is taken up goes on."""
    kept = saved(run)
    told = f"goes on from what it saved: {', '.join(kept)}"
    _say(escape(told) if kept else f"{NOTHING_SAVED}: it begins anew")


def _show_verdict(one: ClaimVerdict) -> None:
    value = "" if one.value is None else f" = [bold]{short(one.value)}[/]"
    state = f"[{COLOURS[one.state]}]{SIGNS[one.state]} {one.state:<11}[/]"
    say_hanging(f"{state} {escape(one.claim.name)}{value}  [dim]claimed {one.claim.band}[/]", HANG)
    reason = one.reason or (one.claim.why if one.state == "failed" else "")
    if reason:
        say_hanging(f"{' ' * HANG}[dim]{escape(reason)}[/]", HANG)


def _say(text: str) -> None:
    """A line that is wrapped in a terminal and stays whole in a pipe."""
    console.print(text, soft_wrap=not console.is_terminal)


def say_hanging(text: str, hang: int) -> None:
    """The same, with all but the first of its lines set in by so much."""
    if not console.is_terminal:
        return console.print(text, soft_wrap=True)
    whole = Text.from_markup(text)
    first = whole.wrap(console, console.width)[0] if text else whole
    behind = whole.plain[len(first.plain.rstrip()) :]
    rest = whole[len(whole) - len(behind.lstrip()) :] if behind.strip() else Text()
    console.print(first, soft_wrap=True)
    for piece in rest.wrap(console, console.width - hang) if rest else ():
        console.print(Text(" " * hang).append_text(piece), soft_wrap=True)
    return None


def show_run(run: Run) -> None:
    """A run's report, as far as a terminal can tell it."""
    show_outcome(run)
    rows = []
    for one in numbers(run):
        lone = one.summary.count < 2
        spread = "" if lone else f"± {short(one.summary.spread)}"
        interval = "" if lone else f"{short(one.summary.low)} to {short(one.summary.high)}"
        rows.append((one.name, short(one.summary.mean), spread, interval, one.what))
    heads = (Column("number", wraps=True), *map(Column, ("mean", "spread", "95 % interval", "")))
    console.print()
    show_table(console, heads, rows)
    console.print()
    show_table(console, (Column(""), Column("where these numbers come from", wraps=True)), provenance(run))


def show_experiment(experiment: Experiment, preset: str) -> None:
    """What an experiment asks, claims, and lets a person set."""
    console.print(f"[bold]{experiment.name}[/]  [dim]about {experiment.seconds:g} s[/]", soft_wrap=True)
    console.print(f"[italic]{escape(experiment.question)}[/]\n")
    for paragraph in experiment.method.split("\n\n"):
        console.print(escape(told(" ".join(paragraph.split()))) + "\n")
    heads = (Column("claim", wraps=True), Column("expected"), Column("source", wraps=True))
    show_table(console, heads, [(one.name, one.band, one.source) for one in experiment.claims])
    console.print()
    heads = (Column("setting"), Column(preset, wraps=True), Column("", wraps=True))
    settings = listing(experiment.presets[preset])
    show_table(console, heads, [(name, str(value), sentence) for name, value, sentence in settings])
    console.print(f"\n[dim]change one with[/] regard run {experiment.name} --set NAME=VALUE", soft_wrap=True)


def show_changes(first: Run, second: Run, changes: Sequence[Change]) -> None:
    if not changes:
        console.print("the two runs do not differ")
        return
    for word, run in (("first", first), ("second", second)):
        console.print(f"[dim]{word}[/] {run.id}", soft_wrap=True)
    heads = (
        Column("what", wraps=True),
        Column(""),
        Column("first", wraps=True),
        Column("second", wraps=True),
    )
    rows = [(one.name, one.kind, short(one.first), short(one.second)) for one in changes]
    show_table(console, heads, rows)


def show_proofs(proofs: Sequence[Proof]) -> None:
    """One line per theorem: its steps, its predictions, its breaks."""
    rows = []
    for one in proofs:
        state = "failed" if one.failed else "held"
        steps = f"{sum(gap <= 1 for gap in one.steps)}/{len(one.steps)}"
        trials = f"{sum(found.holds for found in one.outcomes)}/{len(one.outcomes)}"
        said = ", ".join(one.failed) or one.theorem.question
        sign = Text(f"{SIGNS[state]} {state}", style=COLOURS[state])
        rows.append((one.theorem.name, sign, steps, trials, f"{one.seconds:.1f}", said))
    heads = map(Column, ("theorem", "", "steps", "trials", "seconds"))
    show_table(console, (*heads, Column("", wraps=True)), rows)


def show_proof(proof: Proof) -> None:
    """A theorem in full: what is assumed, each step with its check, each trial with what came of it."""
    theorem = proof.theorem
    console.print(f"[bold]{escape(theorem.title)}[/]\n[italic]{escape(theorem.question)}[/]\n")
    for place, one in enumerate(theorem.assumptions, 1):
        console.print(f"[dim]assumed ({place})[/] {escape(told(one))}")
    console.print("\n" + escape(told(" ".join(theorem.statement.split()))) + "\n")
    for place, (step, gap) in enumerate(zip(theorem.steps, proof.steps, strict=True), 1):
        sign = f"[green]{SIGNS['held']}[/]" if gap <= 1 else f"[red]{SIGNS['failed']}[/]"
        console.print(f"{sign} {place}. {escape(told(step.text))}")
        if step.formula:
            console.print(f"       {escape(plain(step.formula))}", style="bold")
    for one in proof.outcomes:
        state = "held" if one.holds else "failed"
        broken = f", {short(one.fallen)} where broken" if any(one.broken) else ""
        console.print(
            f"[{COLOURS[state]}]{SIGNS[state]}[/] {escape(one.trial.title)} "
            f"[dim]miss {short(one.intact)} of {one.trial.limit:.3g} allowed{broken}[/]"
        )
    console.print("\n" + escape(told(" ".join(theorem.meaning.split()))))


def show_data(rows: Sequence[dict]) -> None:
    """The datasets: what they hold, how large, whose, from where, and whether they are here."""
    for one in rows:
        here = "[green]here[/]" if one["here"] else f"regard data {one['name']} fetches it"
        _say(f"[bold]{one['name']}[/]  {one['bytes'] / 1e6:.1f} MB, {here}\n  {one['what']}")
        _say(f"  [dim]{one['licence']} · from {', '.join(one['origins'])}[/]")


def show_results(results: Sequence[Result]) -> None:
    """Figures beside their peers, bars and floors."""
    heads = ("figure", "value", "quartiles", "ours", "peer", "bar", "", "floor")
    show_table(console, [Column(head) for head in heads], [_figures(one) for one in results])


def _figures(one: Result) -> tuple[str | Text, ...]:
    value, floor = one.value, one.floor_seconds
    sides = (_unit(side.median, side.unit) if side else "" for side in (one.ours, one.peer))
    return (
        f"{one.comparison}: {one.name}",
        _unit(value.median, value.unit) if value else one.reason,
        f"{_unit(value.low, value.unit)} to {_unit(value.high, value.unit)}" if value else "",
        *sides,
        one.bar,
        Text(one.state or "", style=COLOURS.get(one.state or "", "")),
        "" if floor is None else f"{_unit(floor, 's')} ({short(one.distance)} ×)",
    )


def _unit(value: float, unit: str) -> str:
    """A reading as a person says it: seconds in the unit that fits."""
    if unit != "s":
        return f"{value:.3g} {unit}"
    size, name = next(
        ((size, name) for size, name in ((1.0, "s"), (1e-3, "ms")) if abs(value) >= size), (1e-6, "µs")
    )
    return f"{value / size:.3g} {name}"
