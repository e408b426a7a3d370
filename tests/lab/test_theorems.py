import re
from dataclasses import replace

import numpy as np
import pytest

import golden
from regard.lab import registry, theorems
from regard.lab.book.report import prose
from regard.lab.events import FigureEvent, Metric, TableEvent
from regard.lab.experiment import Context
from regard.lab.store.fingerprint import code
from regard.theory import library
from regard.theory.theorem import Sweep, Trial, TrialOutcome


def events(theorem, tmp_path, instances: int = 20):
    return list(
        theorems.experiment(theorem).run(theorems.Settings(instances=instances), Context(folder=tmp_path))
    )


def test_every_theorem_is_an_experiment_of_the_chapter_theory() -> None:
    for name in library.names():
        experiment, source = registry.find(f"theory-{name}")
        assert experiment.chapter == "theory" and source == library.path(name)
        assert experiment.answers == library.find(name).items


def test_a_theorem_names_the_experiments_that_own_what_it_derives() -> None:
    owners = {item: one.name for one in registry.everything() for item in one.answers}
    for theorem in library.everything():
        assert set(theorem.elsewhere) <= set(registry.names())
        assert {owners[item] for item in theorem.speaks_of} <= set(theorem.elsewhere), theorem.name


@pytest.mark.parametrize("name", library.names())
def test_the_answer_is_of_two_conclusions_at_most(name: str) -> None:
    theorem = library.find(name)
    found = theorems.experiment(theorem)
    assert 1 <= len(found.opens_with) <= 2 and set(found.opens_with) <= {one.name for one in found.claims}
    said = [one.says for one in found.claims if one.name in found.opens_with]
    assert said == [one.answer for one in theorem.conclusions if not one.aside]


COLOUR = re.compile(r"\b(black|white|blue|green|purple|red)\b", re.IGNORECASE)


@pytest.mark.parametrize("name", library.names())
def test_captions_name_lines_by_their_style_and_the_figure_draws_them_so(name: str) -> None:
    """Not by their colour: what is black on a light page is white on a dark one."""
    theorem = library.find(name)
    for trial in (*theorem.trials, *theorem.breaks):
        assert not COLOUR.search(trial.caption), trial.caption
        outcome = TrialOutcome(trial, trial.measure(np.random.default_rng(0), 2))
        (axis, _) = theorems._figure([outcome]).axes
        drawn = {one.get_linestyle() for one in axis.lines if one.get_label() != "measured"}
        for word, line in (("solid", "-"), ("dotted", ":"), ("dashed", "--")):
            assert line in drawn or word not in trial.caption.lower(), f"no {word} line in {trial.title}"


def test_the_whole_chapter_is_quick() -> None:
    assert sum(theorem.seconds for theorem in library.everything()) <= 25


@pytest.mark.slow
def test_a_run_measures_what_it_claims_and_draws(tmp_path) -> None:
    theorem = library.find("relative-attention")
    found = events(theorem, tmp_path)
    golden.check(__file__, golden.of_events(found))
    measured = {one.name for one in found if isinstance(one, Metric) and not one.at}
    assert measured == {claim.name for claim in theorems.experiment(theorem).claims}
    assert (
        sum(isinstance(one, FigureEvent) for one in found) == 1
        and sum(isinstance(one, TableEvent) for one in found) == 2
    )


@pytest.mark.slow
def test_a_prediction_that_is_wrong_fails_its_claim(tmp_path) -> None:
    theorem = library.find("relative-attention")
    wrong = replace(
        theorem.trials[0],
        measure=lambda random, count: Sweep(
            at=(1.0, 2.0), predicted=(1.0, 1.0), measured=((0.5, 0.6), (1.5, 0.1))
        ),
    )
    values = {
        one.name: one.value
        for one in events(replace(theorem, trials=(wrong,)), tmp_path)
        if isinstance(one, Metric)
    }
    claim = next(
        one
        for one in theorems.experiment(theorem).claims
        if one.name == "error of max pooling: largest measured / bound"
    )
    assert values[claim.name] == 1.5 and claim.settle(values[claim.name]).state == "failed"


def test_a_break_that_is_not_seen_fails_its_claim() -> None:
    (claim,) = [
        one
        for one in theorems.experiment(library.find("input-noise")).claims
        if one.name.startswith("broken")
    ]
    assert claim.settle(2.0).state == "failed" and claim.settle(50.0).state == "held"


def outcome(relation, **sweep) -> TrialOutcome:
    trial = Trial(
        title="q and k", knob="a", quantity="b", caption="", measure=lambda *_: None, relation=relation
    )
    return TrialOutcome(trial, Sweep(**sweep))


@pytest.mark.parametrize(
    ("relation", "worst"), [("≤", [7.0, 4.0]), ("≥", [1.0, 3.0]), ("≡", [7.0, 3.0]), ("=", [])]
)
def test_the_worst_instance_is_the_one_farthest_off_or_nearest_to_its_bound(relation, worst) -> None:
    one = outcome(relation, at=(1.0, 2.0), predicted=(2.0, 4.0), measured=((2.0, 1.0, 7.0), (4.0, 3.0, 4.0)))
    assert theorems._extremes(one, (0, 1)) == worst


def test_no_instance_is_the_worst_where_each_has_a_prediction_of_its_own_or_there_is_one() -> None:
    one = outcome("≡", at=(1.0,), predicted=(2.0,), measured=((1.0, 3.5),), each=((1.0, 3.0),))
    assert theorems._extremes(one, (0,)) == []
    alone = outcome("≤", at=(1.0,), predicted=(2.0,), measured=((1.0,),))
    assert theorems._extremes(alone, (0,)) == []


def test_a_table_says_bound_of_a_bound_and_what_broken_means() -> None:
    values = {"at": (1.0, 2.0), "predicted": (2.0, 4.0), "measured": ((2.0, 1.0), (4.0, 3.0))}
    columns, _, told = theorems._table(outcome("≤", **values, broken=(False, True)))
    assert columns[1] == "bound" and told.startswith("q and k: b,") and "Broken: there the knob" in told
    columns, _, told = theorems._table(outcome("=", **values))
    assert columns[1] == "predicted" and "roken" not in told
    assert "Broken: there the knob" in theorems._table(outcome("≡", **values, broken=(False, True)))[2]


def test_sentences_about_a_break_give_its_condition_and_no_symbol_is_made_a_capital() -> None:
    claims = {one.name: one for one in theorems.experiment(library.find("dot-product")).claims}
    held = next(one for name, one in claims.items() if name.startswith("q and k that depend"))
    assert held.says.startswith(
        "Where the assumption holds (“q and k that depend on each other” breaks it), "
    )
    assert claims[f"broken, {held.name}"].says.startswith("Where the assumption is broken")


def test_a_random_projection_beyond_the_lemma_does_not_refute_it() -> None:
    claims = theorems.experiment(library.find("almost-orthogonal")).claims
    (claim,) = [one for one in claims if "lemma's constant" in one.name]
    assert claim.settle(1.036).state == "failed" and "some map" in claim.otherwise
    assert not claim.items and {85} == {item for one in claims for item in one.items}
    titles = {one.title for theorem in library.everything() for one in theorem.trials}
    assert set(theorems.NO_BOUND) <= titles


@pytest.mark.slow
@pytest.mark.parametrize("name", library.names())
def test_the_derivation_becomes_a_page_with_formulas(name: str) -> None:
    theorem = library.find(name)
    page = prose(theorems.derivation(theorem))
    assert page.count('display="block"') >= sum(bool(step.formula) for step in theorem.steps)
    assert "$" not in page and "\\" not in page


def test_what_makes_a_theorem_an_experiment_is_part_of_its_key() -> None:
    assert "lab/theorems.py" in code(library.path("input-noise")) and "theory/value.py" in code(
        library.path("input-noise")
    )


def test_a_curve_is_drawn_by_its_formula_which_is_the_prediction() -> None:
    sweeps = [
        (trial, trial.measure(np.random.default_rng(0), 2))
        for theorem in library.everything()
        for trial in (*theorem.trials, *theorem.breaks)
    ]
    given = [(trial, sweep, sweep.formula) for trial, sweep in sweeps if sweep.formula is not None]
    assert len(given) > 8
    for trial, sweep, formula in given:
        assert [formula(at) for at in sweep.at] == pytest.approx(sweep.predicted, rel=1e-12), trial.title
        (axis, _) = theorems._figure([TrialOutcome(trial, sweep)]).axes
        x, y = axis.lines[0].get_data()
        assert len(x) == theorems.FINE and (x[0], x[-1]) == pytest.approx((min(sweep.at), max(sweep.at)))
        assert y[7] == pytest.approx(formula(x[7]))
    trial, sweep = next((trial, sweep) for trial, sweep in sweeps if sweep.formula is None)
    (axis, _) = theorems._figure([TrialOutcome(trial, sweep)]).axes
    assert tuple(axis.lines[0].get_xdata()) == sweep.at
