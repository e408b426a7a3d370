import copy
import pickle

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import mse_loss

from regard.errors import RegardError
from regard.models.autoencoder import Autoencoder, Clean, Corruption, Masked, Noisy, train

SEEDS = (3, 5, 11)


def points(rows: int = 13, width: int = 7) -> torch.Tensor:
    return torch.randn(rows, width, generator=torch.Generator().manual_seed(0))


def alone(model: Autoencoder, repeat: int, activation: type[nn.Module]) -> nn.Sequential:
    """One repeat as torch's own layers."""
    layers: list[nn.Module] = []
    for part in (model.encoder, model.decoder):
        for layer in part:
            if hasattr(layer, "weight"):
                twin = nn.Linear(layer.weight.shape[1], layer.weight.shape[2])
                twin.weight.data = layer.weight[repeat].detach().T.clone()
                twin.bias.data = layer.bias[repeat, 0].detach().clone()
                layers.append(twin)
            else:
                layers.append(activation())
    return nn.Sequential(*layers)


@pytest.mark.parametrize("activation", [nn.ReLU, nn.Identity, nn.Tanh])
@pytest.mark.parametrize("sizes", [(7, 2), (7, 5, 3), (7, 5, 11, 17)])
def test_each_repeat_is_torchs_own_stack_in_value_and_gradient(sizes, activation) -> None:
    model, x = Autoencoder(sizes, activation=activation, seeds=SEEDS), points()
    losses = model.loss(x)
    losses.sum().backward()
    for repeat in range(len(SEEDS)):
        twin = alone(model, repeat, activation)
        loss = mse_loss(twin(x), x)
        loss.backward()
        assert torch.allclose(model(x)[repeat], twin(x), atol=1e-6)
        assert torch.allclose(losses[repeat], loss, rtol=1e-5)
        linear = [layer for layer in twin if isinstance(layer, nn.Linear)]
        ours = [
            layer for part in (model.encoder, model.decoder) for layer in part if hasattr(layer, "weight")
        ]
        for mine, theirs in zip(ours, linear, strict=True):
            assert torch.allclose(mine.weight.grad[repeat].T, theirs.weight.grad, atol=1e-6)
            assert torch.allclose(mine.bias.grad[repeat, 0], theirs.bias.grad, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("corruption", [Clean(), Noisy(0.5), Masked(0.25)])
def test_one_among_others_is_what_it_is_alone(corruption: Corruption) -> None:
    x = points(40)
    together = Autoencoder((7, 5, 2), corruption=corruption, seeds=SEEDS)
    losses = torch.stack(list(train(together, x, epochs=3, size=9)))
    for repeat, seed in enumerate(SEEDS):
        single = Autoencoder((7, 5, 2), corruption=corruption, seeds=(seed,))
        assert torch.allclose(torch.stack(list(train(single, x, epochs=3, size=9)))[:, 0], losses[:, repeat])
        assert torch.allclose(single.codes(x)[0], together.codes(x)[repeat], atol=1e-5)


def test_a_repeat_does_not_touch_another() -> None:
    """A saboteur's view: with one repeat spoiled, the others' gradients stay."""
    x, gradients = points(), []
    for spoiled in (False, True):
        model = Autoencoder((7, 2), seeds=SEEDS)
        if spoiled:
            model.encoder[0].weight.data[1] *= 100
        model.loss(x).sum().backward()
        gradients.append(model.encoder[0].weight.grad.clone())
    assert torch.allclose(gradients[0][[0, 2]], gradients[1][[0, 2]])
    assert not torch.allclose(gradients[0][1], gradients[1][1])


class Sentinel:
    """A corruption that replaces everything, so that its traces would be seen."""

    def __call__(self, x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        return torch.full_like(x, 1000.0)

    def moments(self, covariance: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return covariance, covariance


def test_noise_never_reaches_the_target() -> None:
    """With all weights zero the output is the bias alone: the loss is the distance of the clean points to it."""
    model, x = Autoencoder((7, 2), corruption=Sentinel()), points()
    for one in model.parameters():
        one.data.zero_()
    assert torch.allclose(model.loss(x), x.square().mean())
    model.encoder[0].weight.data.fill_(1.0)
    model.decoder[0].weight.data.fill_(1.0)
    assert model.loss(x).item() > 1e6, "the corruption does not reach the encoder"
    assert model.error(x).item() < 1e4, "the error is measured on corrupted points"


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.1, 0.25, 0.9]))
def test_masked_entries_are_the_zeros_and_visible_ones_are_not(seed: int, share: float) -> None:
    x = 1 + torch.rand(17, 19, generator=torch.Generator().manual_seed(seed))
    seen = Masked(share)(x, torch.Generator().manual_seed(seed))
    assert torch.equal(seen[seen != 0], x[seen != 0])
    hidden = (seen == 0).double().mean().item()
    assert abs(hidden - share) <= 5 * (share * (1 - share) / seen.numel()) ** 0.5


@pytest.mark.parametrize("corruption", [Clean(), Noisy(0.7), Masked(0.4)])
def test_the_moments_are_those_of_many_draws(corruption: Corruption) -> None:
    generator, count = torch.Generator().manual_seed(1), 200_000
    mix = torch.tensor([[2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.5, 0.3]])
    x = torch.randn(count, 3, generator=generator) @ mix.T
    seen = corruption(x, generator)
    inputs, cross = corruption.moments(mix @ mix.T)
    size = inputs.diagonal().max() * 5 * (3 / count) ** 0.5
    assert (seen.T @ seen / count - inputs).abs().max() < size
    assert (x.T @ seen / count - cross).abs().max() < size


def test_two_epochs_mask_differently_and_one_seed_gives_one_result() -> None:
    x = points()
    first, again = (Autoencoder((7, 2), corruption=Masked(), seeds=(4,)) for _ in range(2))
    losses = [first.loss(x).item() for _ in range(2)]
    assert losses[0] != losses[1] and losses == [again.loss(x).item() for _ in range(2)]


def test_one_layer_on_each_side_is_linear_whatever_its_activation() -> None:
    x, y = points(), points().flip(0)
    for sizes, activation, linear in (
        ((7, 5), nn.ReLU, True),
        ((7, 6, 5), nn.ReLU, False),
        ((7, 6, 5), nn.Identity, True),
    ):
        model = Autoencoder(sizes, activation=activation)
        gap = (model(x) + model(y) - model(x + y) - model(0 * x)).abs().max().item()
        assert (gap < 1e-6) == linear == model.linear


@pytest.mark.slow
def test_training_finds_the_plane_of_pca() -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(500, 6, generator=generator) * torch.tensor([4.0, 3.0, 0.5, 0.4, 0.3, 0.2])
    model = Autoencoder((6, 2), seeds=(0, 1))
    for _ in train(model, x, epochs=60, size=50, rate=5e-3):
        pass
    best = torch.linalg.svdvals((x - x.mean(0)).double())[2:].square().sum() / x.numel()
    assert (model.error(x) / best - 1).abs().max() < 0.02


def test_error_and_codes_do_not_depend_on_the_block() -> None:
    model, x = Autoencoder((7, 3), seeds=SEEDS), points(4001)
    assert torch.allclose(model.error(x), (model(x) - x).square().mean((1, 2)), rtol=1e-5)
    assert torch.allclose(model.codes(x), model.encode(x), atol=1e-6)


def test_a_copy_and_a_pickle_go_on_alike() -> None:
    model, x = Autoencoder((7, 2), corruption=Noisy()), points()
    losses = {one.loss(x).item() for one in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model)}
    assert len(losses) == 1


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: Autoencoder((7,)),
            "an autoencoder has an input and a bottleneck, each of width 1 or more\n  got: sizes=(7,)\n  fix: pass (width, ..., bottleneck)",
        ),
        (
            lambda: Autoencoder((7, 0)),
            "an autoencoder has an input and a bottleneck, each of width 1 or more\n  got: sizes=(7, 0)\n  fix: pass (width, ..., bottleneck)",
        ),
        (
            lambda: Autoencoder((7, 2), seeds=(1, 1)),
            "each repeat has a seed of its own\n  got: seeds=(1, 1)\n  fix: pass (0, 1, 2)",
        ),
        (
            lambda: Autoencoder((7, 2))(points(width=5)),
            "the points do not fit the model\n  got: width 5\n  fix: pass points of width 7",
        ),
        (
            lambda: next(train(Autoencoder((7, 2)), points() * torch.nan)),
            "the points hold what is no number\n  got: NaN or infinity\n  fix: remove or replace those points",
        ),
        (
            lambda: Noisy(-1.0),
            "noise has a standard deviation of 0 or more\n  got: -1.0\n  fix: 0.5 is usual",
        ),
        (
            lambda: Masked(1.0),
            "an entry is masked with a chance from 0 to below 1\n  got: 1.0\n  fix: 0.25 is usual",
        ),
    ],
)
def test_bad_input_is_told_in_three_lines(call, told: str) -> None:
    with pytest.raises(RegardError) as caught:
        call()
    assert str(caught.value) == told


def test_no_share_masks_nothing_not_even_where_the_draw_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "rand", lambda *shape, **options: torch.zeros(*shape))
    assert torch.equal(Masked(0.0)(torch.ones(2, 3), torch.Generator()), torch.ones(2, 3))
