"""Random numbers go on from where they were, all three kinds, with what they keep for later."""

import random

import numpy
import torch

from regard.training import rng


def draw() -> list[float]:
    # One gauss of a pair: its twin is kept for the next call, and is part of the state.
    return [
        random.random(),
        random.gauss(0, 1),
        numpy.random.rand(),
        float(numpy.random.standard_normal()),
        float(numpy.random.randint(2**31)),
        *torch.randn(3).tolist(),
        *torch.rand(3).tolist(),
    ]


def test_what_was_captured_is_drawn_again() -> None:
    for _ in range(3):
        draw()
        states = {name: one.clone() for name, one in rng.capture().items()}
        first = [draw() for _ in range(700)]  # past the refill of every generator
        rng.restore(states)
        assert [draw() for _ in range(700)] == first


def test_the_twin_of_a_normal_number_is_kept() -> None:
    random.seed(1), numpy.random.seed(1)
    random.gauss(0, 1), numpy.random.standard_normal()
    states = rng.capture()
    assert states["spare"][1:3].tolist() == [1.0, 1.0]
    twins = random.gauss(0, 1), numpy.random.standard_normal()
    rng.restore(states)
    assert (random.gauss(0, 1), numpy.random.standard_normal()) == twins


def test_states_are_tensors_that_safetensors_can_hold() -> None:
    import safetensors.torch

    states = rng.capture()
    again = safetensors.torch.load(safetensors.torch.save(states))
    first = draw()
    rng.restore(again)
    assert draw() == first


def test_beginning_depends_on_every_number_and_on_nothing_else() -> None:
    def after(*numbers: int) -> float:
        rng.begin(*numbers)
        return float(torch.rand(()))

    assert after(1, 2, 3) == after(1, 2, 3)
    assert (
        len({after(1, 2, 3), after(1, 2, 4), after(1, 3, 3), after(2, 2, 3), after(12, 3), after(1, 23)}) == 6
    )


def test_aside_leaves_no_trace() -> None:
    states = rng.capture()
    with rng.fork_rng(5, 7):
        inside = draw()
    outside = draw()
    rng.restore(states)
    assert draw() == outside
    with rng.fork_rng(5, 7):
        assert draw() == inside
    with rng.fork_rng(5, 8):
        assert all(one != other for one, other in zip(draw(), inside, strict=True))
