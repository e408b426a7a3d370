"""FSDP2 on two real processes: the losses, parameters and restarts of one process with the same batch."""

import pytest
import torch
from torch import nn

from regard.errors import RegardError
from regard.training.parallel import ProcessGroup
from regard.training.sharded.model import blocks, gathered, is_model_sharded, outline, shard

PLANS = ("adamw", "muon", "accumulated")


def apart(some: list[float], others: list[float]) -> float:
    return max(abs(a - b) for a, b in zip(some, others, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_sharded_replicated_and_alone_have_equal_losses(two, worker, name: str) -> None:
    found, single = two[1][name], worker.alone(name)
    expected = [step.loss for step in single]
    assert len(expected) == worker.STEPS
    for kind in ("sharded", "replicated", "went on"):
        there = expected[worker.STOP :] if kind == "went on" else expected
        assert apart(found[kind], there) < 1e-5, kind
    for key, one in single.model.named_parameters():
        assert apart(found["parameters"][key], one.flatten().tolist()) < 1e-4, key
    half = [step.loss for step in worker.alone(name, size=8)]
    assert apart(half, expected) > 1e-3, "half the batch is seen"


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_a_sharded_training_goes_on_exactly(two, worker, name: str) -> None:
    """It was stopped after step 6, which nobody saved: step 6 is made again, to the bit."""
    found = two[1][name]
    assert found["told"] == f"goes on after step {worker.STOP}"
    assert found["stopped"] == found["sharded"][: worker.STOP + 1]
    assert found["plain"].endswith("equal to rounding only: processes 2, sharded then, 2 now")


@pytest.mark.slow
def test_each_process_holds_a_part_and_the_whole_can_be_gathered(two, worker) -> None:
    found, model = two[1]["muon"], worker.Deep()
    halves = [-(-len(one) // 2) for one in model.parameters()]
    assert found["rows"] == halves and 1 in halves and 4 in halves
    assert found["gathered"] == found["parameters"]


@pytest.mark.slow
def test_a_checkpoint_of_one_process_is_taken_up_in_shards(two) -> None:
    told, equal = two[1]["from whole"]
    assert told == "goes on after step 12; equal to rounding only: processes 2 then, 2, sharded now"
    assert equal


@pytest.mark.slow
def test_processes_exchange_words_and_numbers(two) -> None:
    assert two[1]["gathered words"] == ["", "üüü"]
    assert two[1]["mean"] == 0.5


def test_a_whole_copy_has_every_number_and_is_another_model(toy) -> None:
    model = toy.Toy()
    model.seen.fill_(3.0)
    empty = outline(model)
    assert all(one.is_meta for one in [*empty.parameters(), *empty.buffers()])
    copy = gathered(model, empty)
    assert type(copy) is toy.Toy and copy.training
    for one, other in zip(model.state_dict().values(), copy.state_dict().values(), strict=True):
        assert torch.equal(one, other) and one.data_ptr() != other.data_ptr()
    assert not is_model_sharded(copy)


def test_tied_weights_stay_tied_in_a_copy() -> None:
    model = nn.ModuleDict({"token": nn.Embedding(5, 3), "head": nn.Linear(3, 5, bias=False)})
    model["head"].weight = model["token"].weight
    copy = gathered(model, outline(model))
    assert copy["head"].weight is copy["token"].weight


def test_blocks_are_the_outermost_lists() -> None:
    inner = nn.ModuleDict({"up": nn.ModuleList([nn.Linear(2, 2)])})
    model = nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.ModuleDict({"c": nn.Sequential(inner, nn.Tanh())})})
    assert list(blocks(model)) == [inner]


def test_a_parameter_without_axes_is_told() -> None:
    model = nn.Module()
    model.gain = nn.Parameter(torch.tensor(1.0))
    with pytest.raises(RegardError) as caught:
        shard(model, torch.device("cpu"), ProcessGroup(0, 2))
    assert str(caught.value) == (
        "a parameter without axes cannot be sharded\n"
        "  got: 'gain'\n"
        "  fix: give it an axis of length 1, or set plan.sharded=false"
    )
