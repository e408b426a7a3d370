"""Training with patience on a small graph: what stops it, what is chosen, what decays."""

from dataclasses import replace

import pytest
import torch

from regard.data.sets.graphs import Network, load_karate
from regard.experiments.graphs.cora.nodes import (
    ALONE,
    ATTENTION,
    CONVOLUTION,
    EQUAL,
    NodeTask,
    Recipe,
    build,
    shares_of,
    train,
    train_all,
)


@pytest.fixture(scope="module")
def club() -> NodeTask:
    karate = load_karate()
    validation = torch.zeros(34, dtype=torch.bool)
    validation[[5, 14, 21, 32]] = True
    parts = {"train": karate.train & ~validation, "validation": validation, "test": karate.test}
    fields = {
        name: getattr(karate, name) for name in ("features", "source", "target", "labels", "classes", "said")
    }
    return NodeTask(Network(**fields, **parts))


SMALL = replace(CONVOLUTION, epochs=60, patience=5)


def test_a_task_has_loops_and_words_as_shares_or_ones(club: NodeTask) -> None:
    assert club.edges.count == 156 + 34 and club.edges.sorted is club.edges
    doubled = NodeTask(replace(club.network, features=2 * club.network.features))
    assert torch.equal(doubled.features[True].dense(), torch.eye(34))
    assert torch.equal(doubled.features[False].dense(), 2 * torch.eye(34))


@pytest.mark.slow
@pytest.mark.parametrize("recipe", [SMALL, replace(ATTENTION, hidden=3, heads=2, epochs=40, patience=5)])
def test_both_networks_learn_the_club(club: NodeTask, recipe: Recipe) -> None:
    found = train(club, replace(recipe, epochs=80, patience=80), 0)
    assert club.right(found.scores, club.train) >= 90 and found.test >= 80


@pytest.mark.slow
def test_the_same_seed_gives_the_same_training(club: NodeTask) -> None:
    first, second, other = (train(club, SMALL, seed) for seed in (3, 3, 4))
    assert first.tests == second.tests and torch.equal(first.scores, second.scores)
    assert not torch.equal(first.scores, other.scores)


def tell(monkeypatch: pytest.MonkeyPatch, losses: list[float]) -> None:
    """Let the validation losses be these."""
    seen, loss = iter(losses), NodeTask.loss

    def told(self: NodeTask, scores: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        return torch.tensor(next(seen)) if which is self.validation else loss(self, scores, which)

    monkeypatch.setattr(NodeTask, "loss", told)


def test_it_stops_after_the_patience_and_takes_the_lowest_loss(
    club: NodeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Losses 5 4 6 3 then seven that are higher: the fourth epoch is chosen, and five more are waited for."""
    tell(monkeypatch, [5.0, 4.0, 6.0, 3.0, 7.0, 7.0, 3.0, 7.0, 7.0, 7.0, 1.0])
    found = train(club, SMALL, 0)
    assert (found.epoch, found.epochs, found.loss, len(found.tests)) == (4, 9, 3.0, 9)
    tell(monkeypatch, [4.0, 3.0, 2.0, 1.0])
    short = train(club, replace(SMALL, epochs=4), 0)
    assert torch.equal(found.scores, short.scores), "the scores are those of the chosen epoch"


def test_it_ends_after_the_last_epoch_where_the_loss_keeps_falling(
    club: NodeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(monkeypatch, [float(60 - number) for number in range(60)])
    assert train(club, SMALL, 0).epoch == 60


@pytest.mark.slow
def test_the_model_is_left_as_it_was_at_the_chosen_epoch(club: NodeTask) -> None:
    found = train(club, SMALL, 1)
    with torch.no_grad():
        again = found.model(club.features[True], club.edges)
    assert torch.allclose(again, found.scores, atol=1e-6) and not found.model.training
    assert found.test == club.right(found.scores, club.test) == found.tests[found.epoch - 1]
    assert found.after(2) == found.tests[1] and found.after(1000) == found.tests[-1]
    assert torch.equal(found.answers(club.test), found.scores[club.test].argmax(1))


@pytest.mark.parametrize(("decayed", "second"), [("first layer", False), ("everything", True)])
def test_weight_decay_reaches_what_the_recipe_says(
    club: NodeTask, decayed: str, second: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no loss at all only decay moves the weights."""
    monkeypatch.setattr(NodeTask, "loss", lambda self, scores, which: 0.0 * scores.sum())
    recipe = replace(SMALL, decayed=decayed, decay=0.1, dropout=0.0, epochs=1)
    torch.manual_seed(0)
    before, after = dict(build(recipe, 34, 2).named_parameters()), train(club, recipe, 0).model
    moved = {
        name.split(".")[0] for name, value in after.named_parameters() if not torch.equal(value, before[name])
    }
    assert moved == {"first", *(["second"] if second else [])}


@pytest.mark.slow
def test_trainings_in_processes_are_those_in_a_row(club: NodeTask, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [(SMALL, 3), (replace(ATTENTION, hidden=3, heads=2, epochs=20), 4)]
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    apart = list(train_all(club, jobs))
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    for there, here in zip(apart, train_all(club, jobs), strict=True):
        assert (there.epoch, there.tests) == (here.epoch, here.tests)
        assert torch.allclose(there.scores, here.scores, atol=1e-5)
        x = club.features[True]
        assert torch.allclose(there.model(x, club.edges), there.scores, atol=1e-5)


def test_words_become_shares_and_numbers_of_another_kind_stay() -> None:
    words = torch.tensor([[1.0, 1.0, 2.0], [0.0, 0.0, 0.0]])
    assert shares_of(words).tolist() == [[0.25, 0.25, 0.5], [0, 0, 0]]
    assert torch.equal(shares_of(-words), -words)


def test_equal_weights_stay_equal_and_nobody_is_heard_where_there_are_no_neighbours(club: NodeTask) -> None:
    found = train(club, replace(EQUAL, hidden=3, heads=2, epochs=8), 0)
    with torch.no_grad():
        _, weights = found.model.get_submodule("first")(club.features[True], club.edges, weights=True)
    share = 1 / club.edges.targets.count[club.edges.target].float()
    torch.testing.assert_close(weights, share.expand_as(weights))
    changed = replace(club.network, source=club.network.source[:0], target=club.network.target[:0])
    alone = [train(task, replace(ALONE, epochs=8), 0).scores for task in (club, NodeTask(changed))]
    assert torch.equal(*alone)
