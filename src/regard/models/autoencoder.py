"""Autoencoders: vanilla, denoising and masked, linear or not, with all repeats as one batched model."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from regard.arguments import check, check_fields, check_sizes, kinds, told
from regard.errors import RegardError
from regard.shapes import Float

BLOCK = 2000
"Rows that are evaluated at a time, so that memory does not grow with the number of rows."


@runtime_checkable
class Corruption(Protocol):
    """What happens to the input before it is encoded; the target stays as it was."""

    def __call__(self, x: Float[Tensor, "b c"], generator: torch.Generator) -> Float[Tensor, "b c"]: ...

    def moments(self, covariance: Float[Tensor, "c c"]) -> tuple[Tensor, Tensor]:
        """E[x̃ x̃ᵀ] and E[x x̃ᵀ] of points x of mean zero and x̃, x corrupted: what a linear model sees."""
        ...


@dataclass(frozen=True)
class Clean:
    """Nothing: the vanilla autoencoder."""

    def __call__(self, x: Float[Tensor, "b c"], generator: torch.Generator) -> Float[Tensor, "b c"]:
        return x

    def moments(self, covariance: Float[Tensor, "c c"]) -> tuple[Tensor, Tensor]:
        return covariance, covariance


@dataclass(frozen=True)
class Noisy:
    """Normal noise is added to every entry: the denoising autoencoder.

    >>> Noisy(0.0)(torch.ones(1, 3), torch.Generator())
    tensor([[1., 1., 1.]])
    """

    deviation: float = 0.5
    "Standard deviation of the noise."

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 <= self.deviation < inf:
            raise RegardError(
                "noise has a standard deviation of 0 or more", f"{self.deviation}", "0.5 is usual"
            )

    def __call__(self, x: Float[Tensor, "b c"], generator: torch.Generator) -> Float[Tensor, "b c"]:
        return x + self.deviation * torch.randn(x.shape, generator=generator, dtype=x.dtype).to(x.device)

    def moments(self, covariance: Float[Tensor, "c c"]) -> tuple[Tensor, Tensor]:
        noise = self.deviation**2 * torch.eye(len(covariance), dtype=covariance.dtype)
        return covariance + noise, covariance


@dataclass(frozen=True)
class Masked:
    """Each entry is set to zero with the same chance, apart from all others: the masked autoencoder.

    >>> Masked(0.5)(torch.ones(1, 6), torch.Generator().manual_seed(0))
    tensor([[0., 1., 0., 0., 0., 1.]])
    """

    share: float = 0.25
    "The chance of an entry to be masked."

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 <= self.share < 1:
            raise RegardError(
                "an entry is masked with a chance from 0 to below 1", f"{self.share}", "0.25 is usual"
            )

    def __call__(self, x: Float[Tensor, "b c"], generator: torch.Generator) -> Float[Tensor, "b c"]:
        return x * (torch.rand(x.shape, generator=generator, dtype=x.dtype) >= self.share).to(x.device)

    def moments(self, covariance: Float[Tensor, "c c"]) -> tuple[Tensor, Tensor]:
        seen = 1 - self.share
        alone = seen * self.share * torch.diag(covariance.diagonal())
        return seen**2 * covariance + alone, seen * covariance


class Repeated(nn.Module):
    """A linear map with a bias for each repeat: y_r = x_r W_r + b_r, started as torch starts its own."""

    def __init__(self, inputs: int, outputs: int, generators: Sequence[torch.Generator]) -> None:
        super().__init__()
        bound = inputs**-0.5
        draws = [(2 * torch.rand(inputs + 1, outputs, generator=one) - 1) * bound for one in generators]
        self.weight = nn.Parameter(torch.stack([draw[:-1] for draw in draws]))
        self.bias = nn.Parameter(torch.stack([draw[-1:] for draw in draws]))

    def forward(self, x: Float[Tensor, "repeats b inputs"]) -> Float[Tensor, "repeats b outputs"]:
        return torch.baddbmm(self.bias, x, self.weight)


class Autoencoder(nn.Module):
    """An encoder of the given sizes, from the input's width to the bottleneck, and its mirror image.

    Every seed makes a repeat. All repeats are one model with a leading axis: they see the same points and
    differ in their first weights and in their corruption, and each is what it would be alone. Activations
    stand between layers, none after the bottleneck and none at the end: with one layer on each side the model
    is linear whatever its activation.

    >>> model = Autoencoder((7, 5, 2), seeds=(0, 1, 2))
    >>> x = torch.ones(11, 7)
    >>> model.encode(x).shape, model(x).shape, model.loss(x).shape, model.linear
    (torch.Size([3, 11, 2]), torch.Size([3, 11, 7]), torch.Size([3]), False)
    """

    @kinds
    def __init__(
        self,
        sizes: Sequence[int],
        *,
        activation: Callable[[], nn.Module] = nn.ReLU,
        corruption: Corruption = Clean(),
        seeds: Sequence[int] = (0,),
    ) -> None:
        super().__init__()
        if len(sizes) < 2 or min(sizes) < 1:
            raise RegardError(
                "an autoencoder has an input and a bottleneck, each of width 1 or more",
                f"sizes={tuple(sizes)}",
                "pass (width, ..., bottleneck)",
            )
        check_sizes("Autoencoder", **{f"sizes[{place}]": size for place, size in enumerate(sizes)})
        if not seeds or len(set(seeds)) < len(seeds) or not all(0 <= seed < 2**63 for seed in seeds):
            raise RegardError("each repeat has a seed of its own", f"seeds={tuple(seeds)}", "pass (0, 1, 2)")
        self.sizes, self.corruption = tuple(sizes), corruption
        self.generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        self.encoder = self._stack(sizes, activation)
        self.decoder = self._stack(sizes[::-1], activation)
        self.linear = len(sizes) == 2 or activation is nn.Identity

    def _stack(self, sizes: Sequence[int], activation: Callable[[], nn.Module]) -> nn.Sequential:
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise(sizes):
            layers += [Repeated(inputs, outputs, self.generators), activation()]
        return nn.Sequential(*layers[:-1])

    def encode(self, x: Float[Tensor, "*repeats b c"]) -> Float[Tensor, "r b k"]:
        """The code of each point in each repeat; points may be the same for all repeats or each its own."""
        check("Autoencoder", "x", x, Tensor)
        if x.dim() not in (2, 3) or not x.is_floating_point():
            raise RegardError(
                "points are one row of real numbers each", told(x), "shape them (points, width), of floats"
            )
        if x.shape[-1] != self.sizes[0]:
            raise RegardError(
                "the points do not fit the model",
                f"width {x.shape[-1]}",
                f"pass points of width {self.sizes[0]}",
            )
        return self.encoder(x.expand(len(self.generators), *x.shape[-2:]))

    def decode(self, z: Float[Tensor, "r b k"]) -> Float[Tensor, "r b c"]:
        """The points that codes stand for."""
        return self.decoder(z)

    def forward(self, x: Float[Tensor, "*repeats b c"]) -> Float[Tensor, "r b c"]:
        return self.decode(self.encode(x))

    def loss(self, x: Float[Tensor, "b c"]) -> Float[Tensor, " r"]:
        """The mean of (x̂ − x)² for each repeat, x̂ from the corrupted points and x the points as they are."""
        clean = isinstance(self.corruption, Clean)
        seen = x if clean else torch.stack([self.corruption(x, one) for one in self.generators])
        found = self(seen)
        return nn.functional.mse_loss(found, x.expand_as(found), reduction="none").mean((1, 2))

    @torch.no_grad()
    def error(self, x: Float[Tensor, "b c"]) -> Float[Tensor, " r"]:
        """The mean of (x̂ − x)² for each repeat, nothing corrupted."""
        totals = [(self(block) - block).square().sum((1, 2)) for block in x.split(BLOCK)]
        return torch.stack(totals).sum(0) / x.numel()

    @torch.no_grad()
    def codes(self, x: Float[Tensor, "b c"]) -> Float[Tensor, "r b k"]:
        """The codes of many points, to be used and not to be trained."""
        return torch.cat([self.encode(block) for block in x.split(BLOCK)], 1)

    def learn(self, x: Float[Tensor, "b c"], optimiser: torch.optim.Optimizer) -> Float[Tensor, " r"]:
        """One step on one batch; gives the losses before it."""
        losses = self.loss(x)
        optimiser.zero_grad()
        # Each repeat's weights are in its own loss alone: the gradient of the sum is every gradient at once.
        losses.sum().backward()
        optimiser.step()
        return losses.detach()


def learn_all(
    model: Autoencoder, x: Float[Tensor, "b c"], optimiser: torch.optim.Optimizer, *, size: int, seed: int
) -> Float[Tensor, " r"]:
    """One step on each batch of all points, in an order that the seed decides; gives the mean losses."""
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    batches = [model.learn(x[rows], optimiser) * len(rows) for rows in order.split(size)]
    return torch.stack(batches).sum(0) / len(x)


def train(
    model: Autoencoder, x: Float[Tensor, "b c"], *, epochs: int = 10, size: int = 100, rate: float = 5e-4
) -> Iterator[Float[Tensor, " r"]]:
    """Train with Adam, all points once an epoch; yields the mean losses on the way after each epoch."""
    if not torch.isfinite(x).all():
        raise RegardError(
            "the points hold what is no number", "NaN or infinity", "remove or replace those points"
        )
    optimiser = torch.optim.Adam(model.parameters(), lr=rate, fused=True)
    for epoch in range(epochs):
        # The order depends on the epoch alone, so that a repeat is the same alone and among others.
        yield learn_all(model, x, optimiser, size=size, seed=epoch)
