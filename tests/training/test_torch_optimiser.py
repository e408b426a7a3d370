"""Any of torch's optimisers moves a model as it does by itself, and goes on from a file exactly."""

import json

import pytest
import torch
from torch import nn

from regard.errors import RegardError
from regard.training.loop import Training
from regard.training.plan import PLAIN, Plan
from regard.training.state import TrainingState
from regard.training.torch_optimiser import FIT, TorchOptimiser

OPTIONS = {
    "SGD": {"momentum": 0.9},
    "Adam": {"betas": (0.8, 0.9), "amsgrad": True},
    "RMSprop": {"momentum": 0.5},
}
GROUPS = {"1": {"weight_decay": 0.2}, "0.bias": {"lr": 0.02}}


def training(name: str, **plan) -> Training:
    """Two matrices, for torch's own Muon moves nothing else; else a bias and a group of its own too."""
    torch.manual_seed(0)
    bias, groups = name != "Muon", {} if name == "Muon" else GROUPS
    model = nn.Sequential(nn.Linear(3, 4, bias=bias), nn.Linear(4, 2, bias=bias))
    chosen = TorchOptimiser(name, OPTIONS.get(name, {}), groups=groups)
    fields = {"steps": 6, "learning_rate": 0.01, "clip": None, "optimiser": chosen, **plan}
    return Training(model, batch, lambda model, x: model(x).square().mean(), Plan(**fields))


def batch(index: int) -> torch.Tensor:
    return torch.randn(5, 3, generator=torch.Generator().manual_seed(index))


@pytest.mark.parametrize("name", FIT)
def test_a_constant_plan_is_torchs_own_loop_bit_for_bit(name: str) -> None:
    ours = training(name, schedule="constant", warmup=0.0)
    theirs = training(name).model
    groups = [{"params": list(theirs.parameters())}]
    if name != "Muon":
        flat, deep = [theirs[0].bias], list(theirs[1].parameters())
        groups = [{"params": deep, "weight_decay": 0.2}, {"params": flat, "lr": 0.02}]
        groups.append({"params": [theirs[0].weight]})
    optimiser = getattr(torch.optim, name)(groups, lr=0.01, **OPTIONS.get(name, {}))
    for step in ours:
        optimiser.zero_grad()
        loss = theirs(batch(step.step - 1)).square().mean()
        loss.backward()
        optimiser.step()
        assert step.loss == loss.item()
    for one, other in zip(ours.model.parameters(), theirs.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("name", FIT)
def test_going_on_from_a_file_changes_no_bit(name: str) -> None:
    import safetensors.torch

    whole = training(name)
    expected = [step.loss for step in whole]
    first = training(name)
    for step in first:
        if step.step == 3:
            break
    state = first.state()
    content, facts = safetensors.torch.save(dict(state.tensors)), json.loads(json.dumps(state.facts))
    second = training(name)
    assert second.restore(TrainingState(safetensors.torch.load(content), facts)) == ""
    assert [step.loss for step in second] == expected[3:]
    reached = whole.state().tensors
    for key, one in second.state().tensors.items():
        assert key.startswith("rng.") or torch.equal(one, reached[key]), key


def test_another_optimiser_is_another_plan() -> None:
    state = training("Adam").state()
    with pytest.raises(RegardError, match=r"optimiser was {'name': 'Adam', .* is {'name': 'SGD'"):
        training("SGD").restore(state)


def test_equal_ones_are_equal_and_have_one_hash() -> None:
    one, two, other = (TorchOptimiser("Adam", {"eps": eps}) for eps in (1e-6, 1e-6, 1e-7))
    assert one == two != other
    assert len({Plan(optimiser=one), Plan(optimiser=two), Plan(optimiser=other), PLAIN}) == 3


@pytest.mark.parametrize(
    ("name", "fix"),
    [("LBFGS", "one of ASGD, Adadelta"), ("adam", "did you mean 'Adam'"), ("Optimizer", "one of")],
)
def test_one_that_cannot_be_used_is_told(name: str, fix: str) -> None:
    with pytest.raises(RegardError) as caught:
        TorchOptimiser(name)
    what, got, told = str(caught.value).splitlines()
    assert (what, got) == ("no optimiser of that name can be used here", f"  got: '{name}'")
    assert told.startswith(f"  fix: {fix}")


def test_arguments_that_no_checkpoint_could_hold_are_told() -> None:
    with pytest.raises(RegardError) as caught:
        TorchOptimiser("Adam", {"lr": torch.tensor(0.1)})
    assert str(caught.value) == (
        "the arguments of an optimiser are kept in checkpoints, as JSON\n"
        "  got: Object of type Tensor is not JSON serializable\n"
        "  fix: give numbers, words, lists and none"
    )


def test_a_group_without_parameters_is_told() -> None:
    chosen = TorchOptimiser("Adam", groups={"weig": {"weight_decay": 0.1}})
    with pytest.raises(RegardError) as caught:
        chosen.build(dict(nn.Linear(2, 2).named_parameters()), 0.1)
    assert str(caught.value) == (
        "an optimiser has a group without parameters\n"
        "  got: none of weight, bias is in 'weig'\n"
        "  fix: give the name of a module or parameter"
    )
