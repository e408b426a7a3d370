import pytest
import torch
from scipy import stats

import golden
from regard.experiments.text.decoding import experiment as here
from regard.experiments.text.decoding.beams import formula
from regard.experiments.text.decoding.experiment import EXPERIMENT, Settings, run, surprise
from regard.generation.beam import beam_search
from regard.generation.sampling import Sampler
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context
from saboteurs import Saboteur, covers, fails, small, states, without_figures


def test_surprise_is_scipys_chi_square() -> None:
    counts, p = torch.tensor([30, 50, 0, 20]), torch.tensor([0.25, 0.5, 0.0, 0.25])
    there = p > 0
    expected = stats.chisquare(counts[there], (p[there] * 100).numpy()).pvalue
    assert surprise(counts, p) == pytest.approx(expected)


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path) -> None:
    settings = Settings(
        models=3, length=3, widths=(1, 8), draws=500, sizes=(8, 16), beams=(1, 4), lengths=(2, 3)
    )
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == [
        "tree",
        "search",
        "samplers",
        "cost",
    ]
    values = {one.name: one.value for one in events if isinstance(one, Metric) and not one.at}
    assert (
        values["the beam of two finds the most probable text"] == 0
        and values["draws of tokens that the sampler forbids"] == 0
    )
    assert values["largest gap between a beam's score and a full pass"] < 1e-9
    gaps = [
        one.value
        for one in events
        if isinstance(one, Metric) and one.name.startswith("gap between Berkeley HW6")
    ]
    assert len(gaps) == 4 and max(gaps) < 1e-5


SMALL = Settings(models=8, length=3, widths=(1, 8), draws=2000, sizes=(64, 128), beams=(1, 4), lengths=(2, 3))


def always_neural(ids):
    return torch.tensor([3.0, 0.0], dtype=torch.float64).expand(*ids.shape, 2)


def forgetful(seed):
    """A model whose next token does not depend on those before."""
    logits = torch.randn(5, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return lambda ids: logits.expand(*ids.shape, 5)


SABOTEURS = {
    "a tree in which one word is always the best": Saboteur(
        lambda patch: patch.setattr(here, "berkeley_tree", always_neural),
        {"largest gap to Berkeley HW6's six log-probabilities", "log-probability of the most probable text of three words", "the beam of two finds the most probable text"},
    ),
    "a search of other logits": Saboteur(
        lambda patch: patch.setattr(here, "beam_search", lambda model, start, **words: beam_search(lambda ids: 2 * model(ids), start, **words)),
        {"largest gap between a beam's score and a full pass"},
    ),
    "a rank that is always the first": Saboteur(
        lambda patch: patch.setattr(here, "worst_rank", lambda texts, totals: 1), {"models in which a beam as wide as the worst rank misses the best text"}
    ),
    "models without a memory": Saboteur(
        lambda patch: patch.setattr(here, "small_model", forgetful), {"greedy finds the best text, share of models"}
    ),
    "samplers that cut nothing off": Saboteur(
        lambda patch: patch.setattr(Sampler, "choose", lambda self, logits, generator=None: torch.multinomial(logits.softmax(1), 1, generator=generator)[:, 0]),
        {"smallest p-value of the samplers, times their number", "draws of tokens that the sampler forbids"},
    ),
    "a test that is never surprised": Saboteur(
        lambda patch: patch.setattr(here, "surprise", lambda counts, p: 0.5), {"p-value of plain draws held against temperature 0.5"}
    ),
    "a formula without the logarithm": Saboteur(
        lambda patch: patch.setattr(here, "formula", lambda width, steps, size: steps * width * size), {"largest comparisons / formula"}
    ),
    "a formula with the square of the vocabulary": Saboteur(
        lambda patch: patch.setattr(here, "formula", lambda width, steps, size: size * formula(width, steps, size)), {"smallest comparisons / formula"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SABOTEURS)
def test_another_search_fails_its_claims(name: str, monkeypatch, tmp_path) -> None:
    without_figures(monkeypatch, here)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, SMALL, tmp_path))


def test_every_claim_has_a_saboteur_and_holds_without(monkeypatch, tmp_path) -> None:
    without_figures(monkeypatch, here)
    covers(EXPERIMENT, SABOTEURS)
    assert set(states(EXPERIMENT.claims, run(SMALL, Context(folder=tmp_path))).values()) == {"held"}


def test_of_several_processes_the_first_does_it(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("RANK", "1")
    assert list(run(Settings(), Context(folder=tmp_path))) == []
