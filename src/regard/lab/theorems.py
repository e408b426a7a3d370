"""Theorems as experiments: the derivation is the method, predictions and breaks are claims and figures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from regard.claims import Claim
from regard.lab.book.style import BLACK, BLUE, GREEN, PURPLE, RED, panels, style
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.statistics import summarise
from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial, TrialOutcome, prove

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PREFIX = "theory-"
STEPS = "steps that do not hold"
PANELS = 4  # that fit into one figure
FINE = 200
"Points by which the curve of a formula is drawn."
UNITS = {
    "=": "largest gap in standard errors",
    "≡": "largest gap of an instance",
    "≤": "largest measured / bound",
    "≥": "largest bound / measured",
}


AGREES = {
    "=": "what is measured agrees with the formula in the mean",
    "≡": "every instance is as the formula says, but for rounding",
}
NO_BOUND = {
    "the lemma's constant in practice": "The lemma is not refuted: it says that some map changes no "
    "squared distance by more. What is measured is the best of five random projections, for which "
    "√(8 ln N/n) is a yardstick and no bound.",
}
"By the title of a trial that settles no item: what it means that an instance is beyond such a formula."
YARDSTICK = "whether chance comes as near as the formula says that one can come"
"Why such a formula is held against instances."


@dataclass(frozen=True, kw_only=True)
class Settings:
    instances: int
    "Random instances at each setting of a knob."


def experiment(theorem: Theorem) -> Experiment:
    """A theorem as an experiment of the lab."""

    def run(settings: Settings, context: Context) -> Iterator[Event]:
        yield ProgressEvent("steps and random instances", 0.1)
        yield from _events(theorem, settings, context.seed)

    return Experiment(
        name=PREFIX + theorem.name,
        chapter="theory",
        question=theorem.question,
        derives=theorem.speaks_of,
        method=derivation(theorem),
        see=theorem.meaning + _elsewhere(theorem),
        correction=theorem.correction,
        claims=tuple(_claims(theorem)),
        opens_with=tuple(_steps(one) for one in theorem.conclusions if not one.aside),
        presets={
            "quick": Settings(instances=theorem.instances),
            "full": Settings(instances=10 * theorem.instances),
        },
        seconds=theorem.seconds,
        run=run,
    )


def derivation(theorem: Theorem) -> str:
    """The theorem as a text with formulas: what is assumed, what follows, and how, in numbered steps."""
    assumed = " ".join(f"({place}) {one}." for place, one in enumerate(theorem.assumptions, 1))
    steps = [f"{place}. {_told(step)}" for place, step in enumerate(theorem.steps, 1)]
    heads = (f"*{theorem.title}.* Assumed: {assumed}", theorem.statement, "*Derivation.*")
    tail = (
        "Each formula above is computed from the text that is shown, at random values of its letters, and "
        "must hold to rounding; expectations are exact, over a finite law with the moments that are assumed."
    )
    return "\n\n".join((*heads, *steps, tail))


def _told(step: ProofStep) -> str:
    formula = f" $${step.formula}$$" if step.formula else ""
    aside = f" (Not computed as written but by a check of its own: {step.because})" if step.check else ""
    return step.text + formula + aside


def _elsewhere(theorem: Theorem) -> str:
    if not theorem.elsewhere:
        return ""
    return "\n\nMeasured in use by: " + ", ".join(f"[[{name}]]" for name in theorem.elsewhere) + "."


def _claims(theorem: Theorem) -> Iterator[Claim]:
    source = "derived here"

    def settles(trial: Trial) -> tuple[int, ...]:
        return trial.items or theorem.items

    for one in theorem.conclusions:
        yield Claim(
            name=_steps(one), low=0, high=0, source=source, items=one.items,
            why="every step that it rests on, at random values of its letters",
            says=one.answer,
            otherwise=f"The derivation of {one.of} does not stand: {{value}} of its steps fail.",
            asks=f"whether the derivation of {one.of} stands",
        )  # fmt: skip
    for trial in theorem.trials:
        title, gap = _begun(trial.title), _ended(trial)
        no_bound = NO_BOUND.get(trial.title, "")
        yield Claim(
            name=_named(trial), high=trial.limit, source=source, items=() if no_bound else settles(trial),
            why=YARDSTICK if no_bound else f"where every assumption holds, {_agrees(trial)}",
            says=f"{title}: {_agrees(trial)}{gap}.",
            otherwise=f"{title}: {_misses(trial)}{gap}." + (no_bound and " " + no_bound),
            asks=f"whether the formula holds for: {trial.title}",
        )  # fmt: skip
    for trial in theorem.breaks:
        where, gap = f"Where the assumption holds (“{trial.title}” breaks it)", _ended(trial)
        yield Claim(
            name=_named(trial), high=trial.limit, source=source, items=settles(trial),
            why=f"where every assumption holds, {_agrees(trial)}",
            says=f"{where}, {_agrees(trial)}{gap}.",
            otherwise=f"{where}, {_misses(trial)} all the same{gap}.",
            asks=f"whether the formula holds before its assumption is broken by “{trial.title}”",
        )  # fmt: skip
    for trial in theorem.breaks:
        gap = _ended(trial)
        yield Claim(
            name=f"broken, {_named(trial)}", low=trial.fall, source=source, items=settles(trial),
            why="without the assumption the formula does not hold: the knob is seen to matter",
            says=f"Where the assumption is broken (“{trial.title}”), the formula no longer holds{gap}.",
            otherwise=f"The formula survives although its assumption is broken (“{trial.title}”){gap}.",
            asks=f"whether the assumption matters that “{trial.title}” breaks",
        )  # fmt: skip


def _steps(one: Conclusion) -> str:
    return f"{one.of}: {STEPS}"


def _begun(title: str) -> str:
    """A title as a sentence begins with it; a symbol keeps its letter.

    >>> [_begun(one) for one in ("a faint place", "q and k that depend on each other")]
    ['A faint place', 'q and k that depend on each other']
    """
    symbol = title[1:2] == " " and title[0] != "a"
    return title if symbol else title[:1].upper() + title[1:]


def _ended(trial: Trial) -> str:
    """The number that sentences about a trial end with."""
    return f" ({_said(trial, UNITS[trial.relation])}: {{value}})"


def _said(trial: Trial, words: str) -> str:
    """Words on a bound, for a trial whose formula is none."""
    return words.replace("bound", "yardstick") if trial.title in NO_BOUND else words


def _agrees(trial: Trial) -> str:
    return AGREES.get(trial.relation) or _said(trial, "no instance is beyond the bound")


def _misses(trial: Trial) -> str:
    return (
        "the formula misses what is measured"
        if trial.relation in AGREES
        else _said(trial, "an instance is beyond the bound")
    )


def _named(trial: Trial) -> str:
    return f"{trial.title}: {UNITS[trial.relation]}"


def _events(theorem: Theorem, settings: Settings, seed: int) -> Iterator[Event]:
    proof = prove(theorem, seed=seed, instances=settings.instances)
    for conclusion in theorem.conclusions:
        failed = sum(not proof.steps[place - 1] <= 1.0 for place in conclusion.steps)
        yield Metric(_steps(conclusion), failed)
    for place, one in enumerate(proof.outcomes):
        yield Metric(_named(one.trial), one.intact)
        if place >= len(theorem.trials):
            yield Metric(f"broken, {_named(one.trial)}", one.fallen)
        yield from _points(one)
        yield TableEvent(f"table-{place + 1}", *_table(one))
    parted = len(theorem.trials) if len(proof.outcomes) > PANELS else len(proof.outcomes)
    for name, part in (("trials", proof.outcomes[:parted]), ("breaks", proof.outcomes[parted:])):
        if part:
            yield FigureEvent(name, _figure(part), _captions([one.trial for one in part]))


def _points(one: TrialOutcome) -> Iterator[Metric]:
    for at, predicted, measured in zip(one.sweep.at, one.sweep.predicted, one.sweep.measured, strict=True):
        where = {one.trial.knob: at}
        yield Metric(f"{one.trial.title}, predicted", predicted, at=where)
        yield Metric(f"{one.trial.title}, measured", summarise(measured).mean, at=where)


def _table(one: TrialOutcome) -> tuple[tuple[str, ...], list[tuple], str]:
    if one.trial.relation == "≡":
        return _exact_table(one)
    rows = []
    for at, predicted, measured, off in zip(
        one.sweep.at, one.sweep.predicted, one.sweep.measured, one.broken, strict=True
    ):
        found = summarise(measured)
        rows.append((at, predicted, found.mean, found.low, found.high, "broken" if off else ""))
    word = "predicted" if one.trial.relation in AGREES else _said(one.trial, "bound")
    columns = (one.trial.knob, word, "measured", "from", "to", "assumption")
    told = f"{_begun(one.trial.title)}: {one.trial.quantity}, with 95 % intervals of the mean."
    if one.trial.relation not in AGREES and one.trial.title not in NO_BOUND:
        told += " Every instance is held to the bound, not their mean alone."
    return columns, rows, told + _marked(one)


def _exact_table(one: TrialOutcome) -> tuple[tuple[str, ...], list[tuple], str]:
    found = zip(one.sweep.at, one.sweep.predicted, one.sweep.measured, one.misses(), one.broken, strict=True)
    rows = [
        (at, predicted, summarise(measured).mean, f"{gap:.2g}", "broken" if off else "")
        for at, predicted, measured, gap, off in found
    ]
    columns = (one.trial.knob, "predicted", "measured", "largest gap of an instance", "assumption")
    count = len(one.sweep.measured[0])
    how = "counted once" if count == 1 else f"means over {count} instances"
    told = f"{_begun(one.trial.title)}: {one.trial.quantity}, {how}."
    gap = " A gap is a share of what is predicted, or of 1 where that is less than 1."
    return columns, rows, told + gap + _marked(one)


def _marked(one: TrialOutcome) -> str:
    """What the last column of a table means, where it is not empty."""
    if not any(one.broken):
        return ""
    return " Broken: there the knob takes an assumption away, and what is predicted need not hold."


def _captions(trials: Sequence[Trial]) -> str:
    places = {1: [""], 2: ["Left: ", "Right: "]}.get(len(trials), [f"({letter}) " for letter in "abcd"])
    return " ".join(place + trial.caption for place, trial in zip(places, trials, strict=False))


def _figure(outcomes: Sequence[TrialOutcome]) -> "Figure":
    """Two panels in a row, the predictions first, then what breaks them."""
    rows = (len(outcomes) + 1) // 2
    with style():
        figure, axes = panels(2, rows, width=8.2, height=4.0)
        for axis, one in zip(axes, outcomes, strict=False):
            _drawn(axis, one)
        for letter, axis in zip("abcd", axes[: len(outcomes)] if len(outcomes) > 2 else [], strict=False):
            axis.set_title(f"({letter}) {axis.get_title(loc='left')}")
        for axis in axes[len(outcomes) :]:
            axis.set_axis_off()
        return figure


def _drawn(axis: "Axes", one: TrialOutcome) -> None:
    sweep, trial = one.sweep, one.trial
    word = {"=": "predicted", "≡": "predicted", "≤": "upper bound", "≥": "lower bound"}[trial.relation]
    axis.plot(*_prediction(sweep, trial.scales[0]), color=BLACK, marker="", label=word)
    if sweep.instead:
        axis.plot(
            sweep.at, sweep.instead, color=BLACK, marker="", linestyle=":", label="without the assumption"
        )
    for (label, curve), colour in zip(sweep.also.items(), (GREEN, PURPLE), strict=False):
        axis.plot(sweep.at, curve, color=colour, marker="", linestyle="--", label=label)
    for off, colour, label in ((False, BLUE, "measured"), (True, RED, "assumption broken")):
        chosen = [place for place, flag in enumerate(one.broken) if flag == off]
        if chosen:
            _measured(axis, one, chosen, colour, label)
    axis.set(title=trial.title, xlabel=trial.knob, ylabel=trial.quantity)
    axis.set(xscale=trial.scales[0], yscale=trial.scales[1])
    _ticked(axis, sweep.at, trial.scales)
    axis.legend(fontsize=9.5, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)


def _prediction(sweep: Sweep, scale: str) -> tuple[Sequence[float], Sequence[float]]:
    """The curve of what is predicted: by its formula on a fine grid, else through what was predicted."""
    if sweep.formula is None:
        return sweep.at, sweep.predicted
    fine = np.geomspace if scale == "log" else np.linspace
    grid = fine(min(sweep.at), max(sweep.at), FINE).tolist()
    return grid, [sweep.formula(one) for one in grid]


def _ticked(axis: "Axes", at: Sequence[float], scales: tuple[str, str]) -> None:
    """On a logarithmic axis, ticks where the knob stood, and plain numbers where they are few and short."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    if scales[0] == "log":
        axis.set_xticks(at, [_short(one) for one in at], fontsize=8.5)
        axis.xaxis.set_minor_formatter(NullFormatter())
    low, high = axis.get_ylim()
    if scales[1] == "log" and high / low < 100 and low > 1e-4 and high < 1e6:
        axis.yaxis.set_major_formatter(FuncFormatter(lambda one, _: f"{one:g}"))
        axis.yaxis.set_minor_formatter(
            FuncFormatter(lambda one, _: f"{one:g}" if f"{one:e}"[0] in "25" else "")
        )


def _short(value: float) -> str:
    """A number for a tick: small parts of one as a fraction.

    >>> [_short(one) for one in (1 / 64, 0.3, 16.0)]
    ['1/64', '0.3', '16']
    """
    parts = 1 / value if value else 0.0
    return f"1/{parts:g}" if parts > 4 and parts == int(parts) else f"{value:g}"


def _measured(axis: "Axes", one: TrialOutcome, chosen: Sequence[int], colour: str, label: str) -> None:
    """Means with their intervals; where every instance is held to the prediction, the worst instance too."""
    found = [summarise(one.sweep.measured[place]) for place in chosen]
    at = [one.sweep.at[place] for place in chosen]
    half = [mean.high - mean.mean if mean.count > 1 else 0.0 for mean in found]
    means = [mean.mean for mean in found]
    axis.errorbar(at, means, yerr=half, color=colour, linestyle="", capsize=2, marker="o", label=label)
    if extremes := _extremes(one, chosen):
        once = None if one.broken[chosen[0]] else "the worst"
        axis.plot(at, extremes, color=colour, linestyle="", marker="_", markersize=9, label=once)


def _extremes(one: TrialOutcome, chosen: Sequence[int]) -> list[float]:
    """At each of these settings the instance nearest to a bound or beyond it, or farthest from what is exact.

    None where means are at stake, where there is one instance only, or where what is predicted differs from
    instance to instance and is no one line.
    """
    sweep = one.sweep
    if one.trial.relation == "=" or (one.trial.relation == "≡" and sweep.each):
        return []
    if all(len(found) == 1 for found in sweep.measured):
        return []
    if one.trial.relation == "≡":
        gaps = one.gaps()
        return [sweep.measured[place][gaps[place].index(max(gaps[place]))] for place in chosen]
    worst = max if one.trial.relation == "≤" else min
    return [worst(sweep.measured[place]) for place in chosen]
