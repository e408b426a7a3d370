"""Transformer block of a GPT: causal attention, then an MLP, each normed before and added after."""

from itertools import pairwise
from math import pi, sqrt

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.core.attend import attend
from regard.core.normalise import Divide, Softmax
from regard.core.position import Alibi, LearnedRelative, Position, Rotary
from regard.core.similarity import Dot, Kernel, elu_plus_one
from regard.core.support import Causal
from regard.models.gpt.cache import KVCache, LinearState
from regard.models.gpt.config import GPTConfig
from regard.shapes import Float


class CausalAttention(nn.Module):
    """Each token looks at itself and the past; queries, keys and values come from one linear map.

    >>> layer = CausalAttention(GPTConfig(vocabulary=5, context=7, depth=1, heads=2, width=6))
    >>> layer(torch.zeros(1, 3, 6)).shape
    torch.Size([1, 3, 6])
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        self.mix = nn.Linear(
            config.width, (config.heads + 2 * config.kv_count) * config.head_width, config.biases
        )
        self.out = nn.Linear(config.width, config.width, config.biases)
        linear = config.attention == "linear"
        self.similarity, self.normalise = (Kernel(elu_plus_one), Divide()) if linear else (Dot(), Softmax())
        self.rotary = Rotary() if config.position == "rotary" else None
        self.position = bias_of(config)
        self.turns: Tensor | None
        self.register_buffer("turns", self._turns(), persistent=False)

    def forward(
        self, x: Float[Tensor, "b n c"], memory: KVCache | LinearState | None = None
    ) -> Float[Tensor, "b n c"]:
        """What each token takes from the past, which with a memory reaches back before x."""
        config, n = self.config, x.shape[1]
        mixed = self.mix(x).unflatten(-1, (-1, config.head_width)).transpose(1, 2)
        turned, v = mixed.split([config.heads + config.kv_count, config.kv_count], 1)
        if config.qk_norm:
            turned = plain_norm(turned, config)
        if self.rotary is not None:
            # Keys are turned before they are remembered, so that each is turned once.
            if memory is None and self.turns is not None and _by_table(turned):
                turned = self.rotary.turned(turned, *self.turns[:, :n])
            else:
                at = torch.arange(n, device=x.device) if memory is None else memory.positions(n, x.device)
                turned = self.rotary.rotate(turned, at)
        q, k = turned.split([config.heads, config.kv_count], 1)
        if isinstance(memory, LinearState):
            assert isinstance(self.similarity, Kernel)
            output = memory.attend(q, k, v, self.similarity)
        else:
            k, v, support = (k, v, Causal()) if memory is None else memory.extend(k, v)
            output = attend(
                q,
                k,
                v,
                similarity=self.similarity,
                support=support,
                position=self.position,
                normalise=self.normalise,
                dropout=config.dropout if self.training else 0.0,
            ).output
        return self.out(output.transpose(1, 2).flatten(2))

    def _turns(self) -> Tensor | None:
        """Cosines and sines of every place: a compiler for a GPU would compute them anew for every number."""
        if self.rotary is None:
            return None
        at = torch.arange(self.config.context)
        return self.rotary.table(at, self.config.head_width, torch.float32)


def _by_table(turned: Tensor) -> bool:
    """Whether a table of angles in float32 serves: on a GPU, where nothing asks for more."""
    return turned.is_cuda and turned.dtype is not torch.float64


class MLP(nn.Module):
    """Hidden layers with an activation, then back to the width, token by token.

    >>> mlp = MLP(GPTConfig(vocabulary=5, context=7, depth=1, heads=2, width=6, activation="swiglu"))
    >>> mlp(torch.zeros(3, 6)).shape
    torch.Size([3, 6])
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.activation = config.activation
        widths = [config.width] + [config.hidden] * config.layers
        twice = 2 if config.activation == "swiglu" else 1
        self.up = nn.ModuleList(
            nn.Linear(below, twice * above, config.biases) for below, above in pairwise(widths)
        )
        self.out = nn.Linear(config.hidden, config.width, config.biases)

    def forward(self, x: Float[Tensor, "*axes c"]) -> Float[Tensor, "*axes c"]:
        """What the MLP adds to each token."""
        for layer in self.up:
            x = activate(layer(x), self.activation)
        return self.out(x)


class Block(nn.Module):
    """x + attention(norm(x)), then x + MLP(norm(x)).

    >>> Block(GPTConfig(vocabulary=5, context=7, depth=1, heads=2, width=6))(torch.zeros(1, 3, 6)).shape
    torch.Size([1, 3, 6])
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.attention_norm = norm(config)
        self.attention = CausalAttention(config)
        self.mlp_norm = norm(config)
        self.mlp = MLP(config)
        self.drop = nn.Dropout(config.dropout)

    def forward(
        self, x: Float[Tensor, "b n c"], memory: KVCache | LinearState | None = None
    ) -> Float[Tensor, "b n c"]:
        """The tokens after the block."""
        x = x + self.drop(self.attention(self.attention_norm(x), memory))
        return x + self.drop(self.mlp(self.mlp_norm(x)))


def norm(config: GPTConfig) -> nn.LayerNorm | nn.RMSNorm:
    """The norm of the tokens: the epsilons are those of GPT-2 and of Amsterdam A2."""
    if config.norm == "rms":
        return nn.RMSNorm(config.width, eps=1e-6, elementwise_affine=config.gains)
    return nn.LayerNorm(config.width, eps=1e-5, elementwise_affine=config.gains, bias=config.biases)


def plain_norm(x: Float[Tensor, "*axes d"], config: GPTConfig) -> Float[Tensor, "*axes d"]:
    """The same norm without gains, over the last axis."""
    if config.norm == "rms":
        return F.rms_norm(x, x.shape[-1:], eps=1e-6)
    return F.layer_norm(x, x.shape[-1:], eps=1e-5)


def bias_of(config: GPTConfig) -> Position | None:
    """The position that adds to the scores, where the config has one."""
    if config.position == "alibi":
        return Alibi.geometric(config.heads)
    if config.position == "relative":
        return LearnedRelative(config.heads, config.context - 1 if config.reach is None else config.reach)
    return None


def activate(x: Float[Tensor, "*axes c"], name: str) -> Float[Tensor, "*axes c2"]:
    """The activation of that name; 'swiglu' halves the channels.

    >>> activate(torch.tensor([-1.0, 3.0]), "relu-squared")
    tensor([0., 9.])
    """
    if name == "gelu":
        return gelu(x) if x.is_cuda and torch.compiler.is_compiling() else F.gelu(x, approximate="tanh")
    if name == "swiglu":
        gate, value = x.chunk(2, -1)
        return F.silu(gate) * value
    return F.relu(x).square() if name == "relu-squared" else F.relu(x)


def gelu(x: Float[Tensor, "*axes c"]) -> Float[Tensor, "*axes c"]:
    """GELU by tanh, as x sigmoid(2 sqrt(2 / π) (x + 0.044715 x³)): a compiler for a GPU makes less of tanh.

    >>> x = torch.linspace(-5, 5, 101)
    >>> torch.allclose(gelu(x), F.gelu(x, approximate="tanh"), atol=1e-6)
    True
    """
    return x * torch.sigmoid(sqrt(8 / pi) * (x + 0.044715 * x * x * x))
