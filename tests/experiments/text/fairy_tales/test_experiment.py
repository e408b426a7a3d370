import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import golden
import own_words
from regard.experiments.text.corpus import load_corpus
from regard.experiments.text.fairy_tales import experiment as here
from regard.experiments.text.fairy_tales.experiment import (
    EXPERIMENT,
    SAMPLERS,
    Settings,
    _memory,
    _shown,
    run,
)
from regard.experiments.text.fairy_tales.recitation import quotations
from regard.lab.events import FigureEvent, Metric, TableEvent
from regard.lab.experiment import Context
from regard.lab.store.run import Run
from regard.models.gpt.model import GPT
from regard.models.gpt.presets import AMSTERDAM
from regard.training import Plan, Training
from regard.training.budget import CALIBRATION
from saboteurs import Saboteur, covers, fails, small, states
from short_of_time import end_early
from torchrun import alone_and_together, measured

TEXT = "Once upon a time there was a wolf. Yesterday I went to the mill, The wolf said no. " * 30


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "text.txt").write_text(TEXT)
    return Settings(
        text=str(tmp_path / "text.txt"), limit=1500, batch=2, rows=3, quotations=3, plan=Plan(steps=4),
        model=replace(AMSTERDAM, depth=1, heads=1, width=8, context=16),
    )  # fmt: skip


@pytest.mark.proof
def test_two_processes_train_like_one(settings: Settings, tmp_path: Path) -> None:
    model = ("model.depth=1", "model.heads=1", "model.width=8", "model.context=16", "model.dropout=0")
    sizes = ("limit=1500", "batch=4", "rows=1", "quotations=3", "plan.steps=4", *model)
    alone, together = alone_and_together(tmp_path, "fairy-tales", f"text={settings.text}", *sizes)

    def losses(run: Run) -> list[float]:
        return [value for name, value in measured(run, lambda name: "loss" in name)]

    assert len(losses(alone)) >= 4 + 2 and losses(together) == pytest.approx(losses(alone), abs=1e-4)


def test_what_the_figure_says_follows_the_curve() -> None:
    falling, turning = [(10, 3.0), (20, 2.0)], [(10, 2.0), (20, 3.0)]
    assert "lowest at step 20, 2.00, and is that at the end; on seen text it ends at 3.00" in _memory(
        turning, falling
    )
    assert "lowest at step 10, 2.00, and has risen to 3.00 by the end" in _memory(falling, turning)


def test_what_the_prompts_show_follows_the_numbers() -> None:
    rows = [
        ("Once ", "low", "", 40.0),
        ("Once ", "high", "", 9.0),
        ("Twice ", "low", "", 10.0),
        ("Twice ", "high", "", 9.0),
    ]
    assert _shown("Once ", rows, "Once upon", 9.0) == (
        "“Once” stands in the training text. Copies are longest at low, 40 characters in the mean, "
        "more than the language alone gives: the model recites."
    )
    assert "does not stand" in _shown("Twice ", rows, "Once", 9.0) and "text of its own" in _shown(
        "Twice ", rows, "Once", 9.0
    )


@pytest.mark.slow
def test_a_small_run_measures_and_draws(settings: Settings, tmp_path: Path) -> None:
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    own_words.check("fairy-tales", events)
    tables = {one.name: one for one in events if isinstance(one, TableEvent)}
    assert (
        len(tables["prompts"].rows) % len(SAMPLERS) == 0 < len(tables["prompts"].rows)
        and len(tables["quotations"].rows) == 6
    )
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["memory"]
    assert not any(
        isinstance(one, Metric) and one.name == "loss on seen text at the end" for one in events
    ), "another text settles no claim about Grimm"


@pytest.mark.slow
def test_what_a_budget_cut_off_settles_nothing(settings: Settings, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(here, "load_corpus", grimm)
    end_early(monkeypatch)
    longer = replace(settings, plan=replace(settings.plan, steps=6))
    events = list(run(longer, Context(folder=tmp_path, deadline=time.monotonic() + 1000)))
    steps = {one.at["step"] for one in events if isinstance(one, Metric) and "step" in one.at}
    assert steps == set(range(1, CALIBRATION + 2))
    assert set(states(EXPERIMENT.claims, events).values()) == {"not settled"}
    assert {"quotations", "prompts"} <= {one.name for one in events if isinstance(one, TableEvent)}


def blind(text: str, count: int) -> list[tuple[str, str]]:
    """Quotations that are followed by something else."""
    return [(quote, after[::-1]) for quote, after in quotations(text, count)]


def grimm(source, **words):
    """A text of one's own that goes for Grimm's tales."""
    corpus = load_corpus(source, **words)
    return replace(corpus, text=replace(corpus.text, name="grimm"))


def undropped(config):
    """A model that is the same whether dropout is on or off."""
    return GPT(replace(config, dropout=0.0))


STOCK = "wolf mill king fox said went once upon a time the and dwarf spin gold forest"
TALE = " ".join(Random(0).choices(STOCK.split(), k=400))
"Words in an order that can be learned by heart and in no other way."


def untaught(model, batches, objective, plan, **words):
    """A training with steps too small to learn anything."""
    return Training(
        model, batches, objective, replace(plan, learning_rate=1e-9, matrix_learning_rate=1e-9), **words
    )


SABOTEURS = {
    "a model that is not trained": Saboteur(
        lambda patch: patch.setattr(here, "Training", untaught),
        {"loss on unseen text minus loss on seen text, at the end", "loss on seen text at the end"},
    ),
    "quotations that the book does not go on with": Saboteur(
        lambda patch: patch.setattr(here, "quotations", blind),
        {"characters right after a quotation, seen minus unseen text"},
    ),
    "a model without dropout": Saboteur(
        lambda patch: patch.setattr(here, "GPT", undropped),
        {"characters right after a quotation, dropout off minus on"},
    ),
    "one sampler under all names": Saboteur(
        lambda patch: patch.setattr(here, "SAMPLERS", dict.fromkeys(SAMPLERS, SAMPLERS[here.LOOSE])),
        {f"longest copy, {here.CAREFUL} minus {here.LOOSE}"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTEURS)
def test_another_measurement_fails_its_claims(name: str, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(here, "_figure", lambda *_: None)
    monkeypatch.setattr(here, "load_corpus", grimm)
    (tmp_path / "text.txt").write_text(TALE)
    settings = Settings(
        text=str(tmp_path / "text.txt"), limit=800, batch=16, rows=8, quotations=16,
        plan=Plan(steps=150, optimiser="muon", learning_rate=8e-3),
        model=replace(AMSTERDAM, depth=2, heads=2, width=48, context=32),
    )  # fmt: skip
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)
