"""AdamW against torch's own and against a loop; Muon against the singular value decomposition."""

import copy

import pytest
import torch
from torch import nn

from regard.training.optimiser import Muon, Optimiser, matrices
from regard.training.plan import Plan


def gradients(model: nn.Module, step: int) -> None:
    random = torch.Generator().manual_seed(step)
    for one in model.parameters():
        one.grad = torch.randn(one.shape, generator=random, dtype=one.dtype)


def test_adamw_is_torchs_with_decay_on_matrices_alone(toy) -> None:
    ours, theirs = toy.Toy(), toy.Toy()
    theirs.load_state_dict(ours.state_dict())
    plan = Plan(learning_rate=0.03, betas=(0.8, 0.9), weight_decay=0.1)
    optimiser = Optimiser(ours, plan)
    flat = [one for one in theirs.parameters() if one.ndim < 2]
    deep = [one for one in theirs.parameters() if one.ndim >= 2]
    groups = [{"params": flat, "weight_decay": 0.0}, {"params": deep, "weight_decay": 0.1}]
    expected = torch.optim.AdamW(groups, lr=0.03, betas=(0.8, 0.9), foreach=False)
    for step in range(7):
        gradients(ours, step), gradients(theirs, step)
        for group in expected.param_groups:
            group["lr"] = 0.03 * (1 - step / 7)
        optimiser.step(1 - step / 7)
        expected.step()
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(one, other, rtol=1e-6, atol=1e-7)


def test_adamw_is_its_equation() -> None:
    """m ← β₁ m + (1 − β₁) g, v ← β₂ v + (1 − β₂) g², w ← w − η λ w − η m̂ / (√v̂ + ε), in float64."""
    model = nn.Linear(3, 2, bias=False).double()
    optimiser = Optimiser(model, Plan(learning_rate=0.02, betas=(0.7, 0.8), weight_decay=0.05))
    w, m, v = model.weight.detach().clone(), 0.0, 0.0
    for step in range(1, 6):
        gradients(model, step)
        g = model.weight.grad.clone()
        m, v = 0.7 * m + 0.3 * g, 0.8 * v + 0.2 * g**2
        w = w - 0.02 * 0.05 * w - 0.02 * (m / (1 - 0.7**step)) / ((v / (1 - 0.8**step)).sqrt() + 1e-8)
        optimiser.step(1.0)
        assert torch.allclose(model.weight, w, rtol=1e-12)


@pytest.mark.parametrize("shape", [(7, 7), (5, 13), (13, 5)])
def test_muon_is_its_equation_with_the_exact_factor(shape: tuple[int, int]) -> None:
    weight = nn.Parameter(torch.randn(shape, dtype=torch.float64))
    muon = Muon({"w": weight}, momentum=0.9, weight_decay=0.1)
    memory = torch.zeros_like(weight)
    for step in range(3):
        before = weight.detach().clone()
        weight.grad = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(step))
        memory = 0.9 * memory + 0.1 * weight.grad
        muon.step(0.02)
        u, _, v = torch.linalg.svd(0.1 * weight.grad + 0.9 * memory, full_matrices=False)
        stretch = max(1, shape[0] / shape[1]) ** 0.5
        move = (before * (1 - 0.02 * 0.1) - weight.detach()) / 0.02 / stretch
        assert (move - u @ v).norm() < 0.12 * (u @ v).norm()
        # The singular vectors are exact: only the singular values are near 1.
        core = u.mT @ move @ v.mT
        assert (core - torch.diag(core.diagonal())).abs().max() < 1e-9


def test_muon_moves_alike_whatever_goes_with_it(toy) -> None:
    """Matrices of one shape go through together: none may move another."""
    random = torch.Generator().manual_seed(1)
    named = {f"w{i}": nn.Parameter(torch.randn(5, 7, generator=random)) for i in range(3)}
    alone = {name: copy.deepcopy(one) for name, one in named.items()}
    for one, other in zip(named.values(), alone.values(), strict=True):
        one.grad = torch.randn(5, 7, generator=random)
        other.grad = one.grad.clone()
    Muon(named, momentum=0.9, weight_decay=0.0).step(0.1)
    for name, one in alone.items():
        Muon({name: one}, momentum=0.9, weight_decay=0.0).step(0.1)
        assert torch.allclose(one, named[name], atol=1e-6)


def test_a_convolution_is_a_matrix_and_a_missing_gradient_is_flat() -> None:
    conv = nn.Conv2d(3, 5, 2)
    optimiser = Optimiser(conv, Plan(optimiser="muon", weight_decay=0.0, matrix_learning_rate=0.1))
    assert list(optimiser.muon.tensors()) == ["muon.weight"]
    before = conv.weight.detach().clone()
    optimiser.step(1.0)
    assert torch.equal(conv.weight, before)
    gradients(conv, 0)
    optimiser.step(1.0)
    moved = torch.linalg.svdvals((conv.weight - before).flatten(1) / 0.1)
    assert 0.88 < moved.min() <= moved.max() < 1.12


def test_a_convolution_and_a_matrix_of_its_shape_go_together() -> None:
    both = nn.ModuleDict({"conv": nn.Conv2d(3, 5, 2, bias=False), "linear": nn.Linear(12, 5, bias=False)})
    both["conv"].weight.data = both["linear"].weight.detach().clone().view(5, 3, 2, 2)
    optimiser = Optimiser(both, Plan(optimiser="muon", weight_decay=0.0, matrix_learning_rate=0.1))
    both["linear"].weight.grad = torch.randn(5, 12, generator=torch.Generator().manual_seed(0))
    both["conv"].weight.grad = both["linear"].weight.grad.clone().view(5, 3, 2, 2)
    optimiser.step(1.0)
    assert torch.allclose(both["conv"].weight.flatten(1), both["linear"].weight)


def test_who_is_moved_by_muon(toy) -> None:
    model = toy.Toy()
    assert list(matrices(model, ("head",))) == ["up.weight", "down.weight"]
    assert list(matrices(model, ())) == ["up.weight", "down.weight", "head.weight"]
    model.head.weight = model.token.weight
    assert list(matrices(model, ())) == ["up.weight", "down.weight"], "a tied head is an embedding"
    model.up.weight.requires_grad_(False)
    assert list(matrices(model, ())) == ["down.weight"]


def test_every_parameter_is_moved_once(toy) -> None:
    model = toy.Toy()
    optimiser = Optimiser(model, Plan(optimiser="muon"))
    moved = [*optimiser.others, *(name for names in optimiser.muon.names for name in names)]
    assert sorted(moved) == sorted(name for name, _ in model.named_parameters())


def test_the_memory_is_put_back_bit_for_bit(toy) -> None:
    plan = Plan(optimiser="muon", weight_decay=0.1)
    model = toy.Toy()
    optimiser = Optimiser(model, plan)
    for step in range(3):
        gradients(model, step)
        optimiser.step(1.0)
    twin = copy.deepcopy(model)
    other = Optimiser(twin, plan)
    other.restore({name: one.clone() for name, one in optimiser.tensors().items()})
    for step in range(3, 6):
        gradients(model, step), gradients(twin, step)
        optimiser.step(0.5), other.step(0.5)
    for one, two in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(one, two)


def test_a_name_that_begins_another_keeps_its_own_memory() -> None:
    model = nn.Module()
    model.a = nn.Module()
    model.a.b = nn.Parameter(torch.zeros(3))
    model.register_parameter("exp", nn.Parameter(torch.zeros(2)))
    inner = nn.Module()
    inner.exp_avg = nn.Parameter(torch.zeros(5))
    model.x = inner
    optimiser = Optimiser(model, Plan())
    gradients(model, 0)
    optimiser.step(1.0)
    saved = {name: one.clone() for name, one in optimiser.tensors().items()}
    optimiser.restore(saved)
    assert {name: one.shape for name, one in optimiser.tensors().items()} == {
        name: one.shape for name, one in saved.items()
    }


def test_rates_that_are_held_in_tensors_follow_the_factor() -> None:
    optimiser = Optimiser(
        nn.Linear(2, 2), Plan(steps=1, learning_rate=0.5, matrix_learning_rate=0.25, optimiser="muon")
    )
    optimiser.hold_rates()
    optimiser.set_rates(0.1)
    rates = [float(group["lr"]) for group in optimiser.wrapped.param_groups]
    assert rates == pytest.approx([0.05] * len(rates)) and float(optimiser.matrix_now) == pytest.approx(0.025)
