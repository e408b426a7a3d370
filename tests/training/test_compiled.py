"""A compiler is tried, timed and told of; one that fails or does not help is left alone."""

import re
import time

import pytest
import torch
from torch import nn

from regard.training import rng
from regard.training.compiled import _seconds, compile_if_faster
from regard.training.objective import cross_entropy

LONG = 10**9
"Steps that no one waits for."


def subject() -> tuple[nn.Module, tuple[torch.Tensor, torch.Tensor]]:
    model = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Dropout(0.5))
    return model, (torch.randn(7, 3), torch.arange(7) % 5)


def slowed(seconds: float):
    def objective(model: nn.Module, batch) -> torch.Tensor:
        time.sleep(seconds)
        return cross_entropy(model, batch)

    return objective


def test_a_short_training_on_a_cpu_is_not_tried() -> None:
    def compiler(objective):
        raise AssertionError("it was tried")

    model, batch = subject()
    for words in ({"steps": LONG, "seconds": 180.0}, {"steps": 3}):
        choice = compile_if_faster(cross_entropy, model, batch, compiler=compiler, **words)
        assert choice.objective is cross_entropy
        pattern = r"not compiled: a training of \d+ s on a CPU would not earn it back"
        assert re.fullmatch(pattern, choice.sentence), choice.sentence


def test_a_training_that_is_just_long_enough_is_tried() -> None:
    model, batch = subject()
    quick = slowed(0.0)
    choice = compile_if_faster(
        slowed(0.02), model, batch, steps=LONG, seconds=30.0, patience=30.0, compiler=lambda objective: quick
    )
    assert choice.objective is quick


def test_the_quicker_one_is_taken() -> None:
    model, batch = subject()
    slow, quick = slowed(0.02), slowed(0.0)
    choice = compile_if_faster(slow, model, batch, steps=LONG, compiler=lambda objective: quick)
    assert choice.objective is quick
    pattern = r"compiled: (\S+) ms a batch compiled, (\S+) ms not; compiling took \d+ s"
    told = re.fullmatch(pattern, choice.sentence)
    assert told and float(told[1]) < 20 <= float(told[2]) < 2000
    choice = compile_if_faster(quick, model, batch, steps=LONG, compiler=lambda objective: slow)
    assert choice.objective is quick
    assert re.fullmatch(f"not {pattern}", choice.sentence)


def test_a_compiler_that_fails_is_told_of() -> None:
    def compiler(objective):
        def fail(model, batch):
            raise RuntimeError("no C++ compiler\nand much more")

        return fail

    model, batch = subject()
    choice = compile_if_faster(cross_entropy, model, batch, steps=LONG, compiler=compiler)
    assert choice.objective is cross_entropy
    assert choice.sentence == "not compiled: torch.compile failed here (no C++ compiler)"


def test_trying_leaves_everything_as_it_was() -> None:
    model, batch = subject()
    before = {name: one.clone() for name, one in model.state_dict().items()}
    states = rng.capture()
    compile_if_faster(cross_entropy, model, batch, steps=LONG, compiler=lambda objective: objective)
    assert all(torch.equal(one, before[name]) for name, one in model.state_dict().items())
    assert all(one.grad is None for one in model.parameters())
    assert all(torch.equal(one, states[name]) for name, one in rng.capture().items())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_real_compiler_computes_the_same_or_is_told_to_fail() -> None:
    model, batch = subject()
    model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 5))
    choice = compile_if_faster(cross_entropy, model, batch, steps=LONG)
    assert choice.sentence.startswith(("compiled: ", "not compiled: "))
    ours = (
        torch.compile(cross_entropy)(model, batch)
        if "failed" not in choice.sentence
        else cross_entropy(model, batch)
    )
    assert torch.allclose(ours, cross_entropy(model, batch), atol=1e-6)


def test_two_calls_warm_up_and_five_are_timed() -> None:
    times = iter((9.0, 9.0, 1.0, 2.0, 3.0, 4.0, 5.0))
    waited = [0.0]

    def work() -> None:
        waited[0] += next(times)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "perf_counter", lambda: waited[0])
        assert _seconds(work) == (3.0, 9.0)
    assert next(times, None) is None
