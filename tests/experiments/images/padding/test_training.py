"""Amsterdam A2's training: its leak, its early end, its best weights; and cells that do not disturb each other."""

from dataclasses import replace
from threading import Event

import pytest
import torch
import torch.nn.functional as F

from regard.experiments.images.padding import training as redgreen
from regard.experiments.images.padding.fast_convolution import score
from regard.experiments.images.padding.networks import BORDERS
from regard.experiments.images.padding.pictures import red_green
from regard.experiments.images.padding.training import (
    PROTOCOLS,
    Cell,
    Lesson,
    build,
    judge,
    percent,
    prepare,
    right,
    teach,
    teach_all,
)

SMALL = Lesson(pictures=40, held=20, batch=20, epochs=2)


def test_the_original_validates_on_what_it_learnt_and_the_clean_does_not() -> None:
    drawn = {
        name: [one.numpy().tobytes() for one in red_green(300, seed=getattr(draws, part))[0]]
        for name, draws in PROTOCOLS.items()
        for part in ("validation",)
    }
    learnt = {one.numpy().tobytes() for one in red_green(300, seed=42)[0]}
    assert set(drawn["original"]) == learnt
    # Some pictures are drawn twice by chance: the recipe knows about ten thousand of each class.
    assert sum(one in learnt for one in drawn["clean"]) < 30


def test_full_convolution_gives_validation_and_test_the_same_scores() -> None:
    """In the original protocol the test pictures are the validation ones, moved by two strides' products."""
    material = prepare(BORDERS["fconv"], PROTOCOLS["original"], SMALL)
    net = build(Cell("Net1", "fconv", "original", 0))
    (validation, classes), (test, same) = material.validation[0], material.test[0]
    assert torch.equal(classes, same)
    torch.testing.assert_close(score(net, validation), score(net, test), atol=1e-7, rtol=0)


def test_the_first_steps_are_those_of_a_plain_loop() -> None:
    """Adadelta over torch's own convolutions, batches in order."""
    cell = Cell("Net1", "sconv", "original", 3)
    net, plain = build(cell), build(cell)
    outcome = teach(net, prepare(BORDERS["sconv"], PROTOCOLS["original"], SMALL), SMALL)
    optimiser = torch.optim.Adadelta(plain.parameters(), lr=1.0, rho=0.9, eps=1e-6, weight_decay=5e-5)
    pictures, classes = red_green(40, seed=42)
    losses = []
    for _ in range(2):
        for part, answer in zip(pictures.float().split(20), classes.split(20), strict=True):
            optimiser.zero_grad()
            F.cross_entropy(plain(part), answer).backward()
            optimiser.step()
        losses.append(F.cross_entropy(plain(pictures[:20].float()), classes[:20]).item())
    assert outcome.epochs == 2 and losses[1] < losses[0], "the best weights are the last ones here"
    for mine, theirs in zip(net.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-4, rtol=0)


def test_training_ends_and_the_best_weights_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    losses = iter([5.0, 3.0, 4.0, 3.0, 3.5])
    seen: list[torch.Tensor] = []

    def judged(net: torch.nn.Module, batches: object) -> tuple[float, float]:
        seen.append(net.head.weight.detach().clone())  # type: ignore[union-attr]
        return next(losses, 0.0), 10.0 * len(seen)

    monkeypatch.setattr(redgreen, "judge", judged)
    lesson = replace(SMALL, epochs=50, patience=3)
    net = build(Cell("Net1", "valid", "original", 0))
    material = prepare(BORDERS["valid"], PROTOCOLS["original"], lesson)
    outcome = teach(net, material, lesson)
    # The second epoch was the best; an equal loss is no better one; three epochs later it ends.
    assert outcome.epochs == len(outcome.course) == 5 and outcome.validation == 50.0
    assert outcome.test == pytest.approx(percent(right(net, material.test))) == outcome.course[1]
    assert torch.equal(net.head.weight, seen[1]) and not torch.equal(seen[1], seen[4])


def test_judging_is_cross_entropy_and_a_share() -> None:
    net = build(Cell("Net2", "circular", "original", 0))
    pictures, classes = red_green(20, seed=42)
    loss, accuracy = judge(net, prepare(BORDERS["circular"], PROTOCOLS["original"], SMALL).validation)
    scores = net(pictures.float())
    assert loss == pytest.approx(F.cross_entropy(scores, classes).item(), abs=1e-6)
    assert accuracy == pytest.approx(100 * (scores.argmax(1) == classes).double().mean().item())


@pytest.mark.slow
def test_cells_side_by_side_are_cells_alone() -> None:
    cells = [
        Cell(net, border, "clean", seed)
        for net in ("Net1", "Net2")
        for border in ("valid", "fconv")
        for seed in (0, 1)
    ]
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        found = {cell: outcome for cell, _, outcome in teach_all(dict.fromkeys(cells, SMALL))}
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert set(found) == set(cells)
    last = cells[-1]
    assert teach(build(last), prepare(BORDERS["fconv"], PROTOCOLS["clean"], SMALL), SMALL) == found[last]


def test_all_networks_are_drawn_before_the_first_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    """A training sets torch's random numbers, which all of them share."""
    cells = [Cell("Net1", "valid", "clean", seed) for seed in range(3)]
    built: list[Cell] = []
    begun = Event()

    def build(cell: Cell) -> None:
        if built:
            begun.wait(0.1)
        built.append(cell)

    def teach(*given: object) -> int:
        begun.set()
        return len(built)

    monkeypatch.setattr(redgreen, "build", build)
    monkeypatch.setattr(redgreen, "teach", teach)
    assert [count for *_, count in teach_all(dict.fromkeys(cells, SMALL))] == [3, 3, 3]


def test_what_one_window_sees_and_what_none_does_make_up_the_test() -> None:
    material = prepare(BORDERS["valid"], PROTOCOLS["clean"], SMALL)
    outcome = teach(build(Cell("Net1", "valid", "clean", 0)), material, SMALL)
    seen = material.together.double().mean().item()
    assert 0 < seen < 1
    assert seen * outcome.together + (1 - seen) * outcome.apart == pytest.approx(outcome.test)
