"""The parts of a block beside the same sums written as loops in float64."""

from dataclasses import replace
from math import exp, sqrt, tanh
from typing import Any

import numpy
import pytest
import torch

from regard.models.gpt.block import MLP, Block, CausalAttention, activate, norm, plain_norm
from regard.models.gpt.config import GPTConfig

SMALL = GPTConfig(vocabulary=11, context=7, depth=2, heads=4, width=24)


def wake(module: torch.nn.Module) -> torch.nn.Module:
    """The module in float64 with weights of order one, so that every term counts."""
    torch.manual_seed(5)
    module = module.double().eval()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return module


def turned(x: Any, place: int) -> Any:
    """A vector turned to its place: channel t with channel t + d/2."""
    half, y = len(x) // 2, numpy.empty_like(x)
    for t in range(half):
        angle = place * 10_000 ** (-t / half)
        y[t] = x[t] * numpy.cos(angle) - x[t + half] * numpy.sin(angle)
        y[t + half] = x[t] * numpy.sin(angle) + x[t + half] * numpy.cos(angle)
    return y


def normed(x: Any, kind: str) -> Any:
    if kind == "rms":
        return x / numpy.sqrt((x**2).mean() + 1e-6)
    return (x - x.mean()) / numpy.sqrt(((x - x.mean()) ** 2).mean() + 1e-5)


def pair_weight(
    config: GPTConfig, layer: CausalAttention, head: int, q: Any, k: Any, i: int, j: int
) -> float:
    """What a query gives a key before the weights are divided by their sum."""
    if config.qk_norm:
        q, k = normed(q, config.norm), normed(k, config.norm)
    if config.position == "rotary":
        q, k = turned(q, i), turned(k, j)
    if config.attention == "linear":
        return float(
            sum(
                (a + 1 if a > 0 else exp(a)) * (b + 1 if b > 0 else exp(b)) for a, b in zip(q, k, strict=True)
            )
        )
    score = float(q @ k) / sqrt(len(q))
    if config.position == "alibi":
        score -= 2.0 ** (-8 * (head + 1) / config.heads) * (i - j)
    if config.position == "relative":
        p = layer.position.p[head].detach().numpy()  # type: ignore[union-attr]
        score += p[len(p) // 2 + min(i - j, len(p) // 2)]
    return exp(score)


def by_loops(layer: CausalAttention, x: torch.Tensor) -> torch.Tensor:
    config, d = layer.config, layer.config.head_width
    mixed = (x @ layer.mix.weight.mT + layer.mix.bias).detach().numpy()
    output = numpy.zeros(x.shape)
    for b in range(x.shape[0]):
        for head in range(config.heads):
            shared = head // (config.heads // config.kv_count)
            q = mixed[b, :, head * d :][:, :d]
            k = mixed[b, :, (config.heads + shared) * d :][:, :d]
            v = mixed[b, :, (config.heads + config.kv_count + shared) * d :][:, :d]
            for i in range(x.shape[1]):
                weights = [pair_weight(config, layer, head, q[i], k[j], i, j) for j in range(i + 1)]
                mean = sum(w * v[j] for j, w in enumerate(weights)) / sum(weights)
                output[b, i, head * d : (head + 1) * d] = mean
    return torch.from_numpy(output) @ layer.out.weight.mT + layer.out.bias


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"kv_heads": 2},
        {"qk_norm": True},
        {"qk_norm": True, "norm": "rms", "position": "rotary", "kv_heads": 1},
        {"position": "rotary"},
        {"position": "alibi"},
        {"position": "relative"},
        {"position": "relative", "reach": 2},
        {"attention": "linear"},
        {"attention": "linear", "position": "rotary", "qk_norm": True, "kv_heads": 2},
    ],
    ids=str,
)
def test_attention_is_the_sum_written_as_loops(change: dict[str, Any]) -> None:
    layer = wake(CausalAttention(replace(SMALL, **change)))
    assert isinstance(layer, CausalAttention)
    x = torch.randn(2, 7, 24, dtype=torch.float64)
    torch.testing.assert_close(layer(x), by_loops(layer, x), atol=1e-10, rtol=1e-10)


def test_dropout_is_drawn_while_training_alone() -> None:
    layer = CausalAttention(replace(SMALL, dropout=0.5))
    x = torch.randn(2, 7, 24)
    assert not torch.equal(layer.train()(x), layer(x))
    assert torch.equal(layer.eval()(x), layer(x))


def gelu(x: float) -> float:
    return 0.5 * x * (1 + tanh(sqrt(2 / numpy.pi) * (x + 0.044715 * x**3)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gelu", [gelu(-1.5), gelu(0.5), gelu(2.0), gelu(3.0)]),
        ("relu", [0.0, 0.5, 2.0, 3.0]),
        ("relu-squared", [0.0, 0.25, 4.0, 9.0]),
        ("swiglu", [-1.5 / (1 + exp(1.5)) * 2.0, 0.5 / (1 + exp(-0.5)) * 3.0]),
    ],
)
def test_each_activation_on_known_numbers(name: str, expected: list[float]) -> None:
    x = torch.tensor([-1.5, 0.5, 2.0, 3.0], dtype=torch.float64)
    torch.testing.assert_close(activate(x, name), torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize("activation", ["gelu", "relu", "relu-squared", "swiglu"])
@pytest.mark.parametrize("layers", [1, 3])
def test_the_mlp_has_its_layers_in_order(activation: Any, layers: int) -> None:
    config = replace(SMALL, activation=activation, layers=layers, ratio=1.5)
    mlp = wake(MLP(config))
    assert isinstance(mlp, MLP)
    x = torch.randn(5, 24, dtype=torch.float64)
    y = x
    for index in range(layers):
        up = mlp.get_submodule(f"up.{index}")
        y = activate(y @ up.weight.mT + up.bias, activation)
    torch.testing.assert_close(mlp(x), y @ mlp.out.weight.mT + mlp.out.bias)
    assert [up.in_features for up in mlp.up] == [24] + [36] * (layers - 1)


@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_the_norms_are_their_formulas(kind: Any) -> None:
    config = replace(SMALL, norm=kind)
    layer = wake(norm(config))
    x = 3e-3 * torch.randn(5, 24, dtype=torch.float64) + 1e-3
    expected = torch.from_numpy(numpy.stack([normed(row, kind) for row in x.numpy()]))
    torch.testing.assert_close(plain_norm(x, config), expected)
    gained = expected * layer.weight + (layer.bias if kind == "layer" else 0)
    torch.testing.assert_close(layer(x), gained)


@pytest.mark.parametrize("change", [{"gains": False}, {"gains": False, "norm": "rms"}], ids=str)
def test_norms_without_gains_have_no_parameters(change: dict[str, Any]) -> None:
    assert not list(norm(replace(SMALL, **change)).parameters())


def test_without_biases_no_part_has_one() -> None:
    names = [name for name, _ in Block(replace(SMALL, biases=False)).named_parameters()]
    assert names
    assert not [name for name in names if "bias" in name]


def test_a_block_norms_before_and_adds_after() -> None:
    block = wake(Block(SMALL))
    assert isinstance(block, Block)
    x = torch.randn(2, 5, 24, dtype=torch.float64)
    middle = x + block.attention(block.attention_norm(x))
    assert torch.equal(block(x), middle + block.mlp(block.mlp_norm(middle)))
