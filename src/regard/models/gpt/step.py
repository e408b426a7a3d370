"""Decoding step: one token at a time through a GPT, the sums of its forward pass with little around them.

Views and room are made once, keys and values are written where they stay, one query needs no mask, and no
module is called; a GPT-2 takes a step that is compiled (`native`). The forward pass is the oracle for all.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from regard.core.call import wide
from regard.core.normalise import nonzero
from regard.core.similarity import Kernel
from regard.models.gpt import native
from regard.models.gpt.block import Block, CausalAttention, activate, plain_norm
from regard.models.gpt.cache import Cache, KVCache, LinearState
from regard.shapes import Float, Int

Step = Callable[[Tensor], Tensor]


class Now(NamedTuple):
    """What all layers of one step share."""

    end: int
    "Behind the last key, the new one, among those kept."
    first: int
    "The first key that is seen."
    hidden: Tensor | None
    "(b 1 1 m), -inf for pads; None where there are none among the keys seen."
    turn: tuple[Tensor, Tensor] | None
    "Cosines and sines of the rotary position, halves side by side, the first half of the sines negative."


class Decoder:
    """The layers of a model, bound to a cache. `GPT.next` makes one."""

    def __init__(self, model: Any, cache: Cache) -> None:
        self.model, self.cache = model, cache
        self.layers = [Layer(block, past) for block, past in zip(model.blocks, cache.layers, strict=True)]
        self.rows, self.bound = self.layers[0].rows, [_room(past) for past in cache.layers]
        self.norm = _norm(model.norm)
        self.tokens, self.positions = (
            model.tokens.weight,
            None if model.positions is None else model.positions.weight,
        )
        self.lies_at = self.tokens.data_ptr()
        self.plain = not cache.ngram and cache.layers[0].pads is None
        self.native = native.Blocks(model, cache, self.rows) if native.can(model, cache) else None
        config = model.config
        half = config.head_width // 2
        self.speed = None
        if config.position == "rotary":
            base = model.blocks[0].attention.rotary.base
            kind = torch.promote_types(model.tokens.weight.dtype, torch.float32)
            steps = torch.arange(half, dtype=kind, device=model.tokens.weight.device)
            self.speed = (base ** (-steps / half)).repeat(2)
            self.sign = torch.ones_like(self.speed)
            self.sign[:half] = -1

    def fits(self, model: Any, rows: int) -> bool:
        """Whether it is bound to that model's weights, and to the room that the cache has now."""
        return (
            model is self.model
            and rows == self.rows
            and self.tokens.data_ptr() == self.lies_at
            and all(_room(past) is room for past, room in zip(self.cache.layers, self.bound, strict=True))
        )

    def step(self, ids: Int[Tensor, " b"]) -> Float[Tensor, "b k"]:
        """The logits of what follows these tokens."""
        model, cache = self.model, self.cache
        model.check_length(cache.length + 1, cache)
        x = self._embed(ids)
        now = self._now(x)
        if self.native is not None and now.hidden is None:
            x = self.native.step(x, now.first, now.end)
            for past in cache.layers:
                past.length += 1
        else:
            for layer in self.layers:
                x = layer.step(x, now)
        cache.read(ids.unsqueeze(1))
        return torch.nn.functional.linear(self.norm(x), model.output)

    def _embed(self, ids: Int[Tensor, " b"]) -> Float[Tensor, "b c"]:
        """The tokens with their places; where there are pads or a history, as the forward pass does it."""
        if not self.plain:
            return self.model.embed(ids.unsqueeze(1), self.cache).squeeze(1)
        try:
            x = torch.embedding(self.tokens, ids)
        except IndexError:  # the forward pass says it in three lines
            return self.model.embed(ids.unsqueeze(1), self.cache).squeeze(1)
        return x if self.positions is None else x + self.positions[self.cache.length]

    def _now(self, x: Tensor) -> Now:
        """Where the new token stands, what it sees, and how it is turned."""
        past, end, first, hidden = self.cache.layers[0], 0, 0, None
        if isinstance(past, KVCache):
            if past.length - past.base >= past.room:
                for layer in self.layers:
                    layer.make_room()
            end, first = past.length + 1 - past.base, past.first(past.length)
            if past.pads is not None and past.base + first < past.most:
                positions = torch.arange(past.base + first, past.base + end, device=x.device)
                blind = (positions < past.pads[:, None])[:, None, None]
                hidden = torch.zeros_like(blind, dtype=x.dtype).masked_fill_(blind, -torch.inf)
        if self.speed is None:
            return Now(end, first, hidden, None)
        at = past.length if past.pads is None else (past.length - past.pads).view(-1, 1, 1)
        angle = at * self.speed
        return Now(end, first, hidden, (angle.cos().to(x.dtype), (angle.sin() * self.sign).to(x.dtype)))


class Layer:
    """One block for one token of each row."""

    def __init__(self, block: Any, past: KVCache | LinearState) -> None:
        assert isinstance(block, Block) and isinstance(block.attention, CausalAttention)
        self.past, self.attention, config = past, block.attention, block.attention.config
        self.config = config
        self.norms = _norm(block.attention_norm), _norm(block.mlp_norm)
        self.mix, self.out = _linear(block.attention.mix), _linear(block.attention.out)
        self.up = [_linear(one) for one in block.mlp.up]
        self.down = _linear(block.mlp.out)
        room = _room(past)
        assert room is not None
        self.rows = room.shape[0 if isinstance(past, LinearState) else 1]
        heads, kv_count, width = config.heads, config.kv_count, config.head_width
        self.mixed = block.attention.mix.weight.new_empty(self.rows, (heads + 2 * kv_count) * width)
        apart = self.mixed.view(self.rows, heads + 2 * kv_count, width)
        self.turned, self.queries = apart[:, : heads + kv_count], apart[:, :heads].unsqueeze(2)
        self.keys, self.values = apart[:, heads : heads + kv_count], apart[:, heads + kv_count :]
        self.new = apart[:, heads:].unflatten(1, (2, kv_count)).transpose(0, 1)
        self.bias = self._bias(past)

    def step(self, x: Float[Tensor, "b c"], now: Now) -> Float[Tensor, "b c"]:
        """The tokens after the block."""
        before, behind = self.norms
        self.mix(before(x), out=self.mixed)
        if self.config.qk_norm:
            self.turned.copy_(plain_norm(self.turned, self.config))
        if now.turn is not None:
            cos, sin = now.turn
            swapped = self.turned.roll(self.config.head_width // 2, -1)
            self.turned.copy_(torch.addcmul(self.turned * cos, swapped, sin))
        found = self._sums() if isinstance(self.past, LinearState) else self._look(self.past, now)
        self.past.length += 1
        x = x + self.out(found)
        hidden = behind(x)
        for layer in self.up:
            hidden = activate(layer(hidden), self.config.activation)
        return x + self.down(hidden)

    def _look(self, past: KVCache, now: Now) -> Float[Tensor, "b c"]:
        """Softmax attention of the one query over the keys that it sees, its own the last."""
        assert past.both is not None
        past.both.select(3, now.end - 1).copy_(self.new)
        keys, values = past.both.narrow(3, now.first, now.end - now.first).unbind(0)
        mask = now.hidden
        if self.bias is not None:
            bias = self.bias[..., self.bias.shape[-1] - now.end + now.first :]
            mask = bias if mask is None else bias + mask
        grouped = self.config.heads != self.config.kv_count
        found = scaled_dot_product_attention(self.queries, keys, values, mask, enable_gqa=grouped)
        return found.reshape(self.rows, -1)

    def _sums(self) -> Float[Tensor, "b c"]:
        """Linear attention: the new key is added to the sums, then the query meets them."""
        kernel, past = self.attention.similarity, self.past
        assert isinstance(past, LinearState) and isinstance(kernel, Kernel) and past.sums is not None
        keys, values = kernel.phi(wide(self.keys)), past.with_ones(wide(self.values).unsqueeze(2))
        past.sums.add_(keys.unsqueeze(-1) * values)
        queries = kernel.phi(wide(self.queries)).view(self.rows, self.config.kv_count, -1, keys.shape[-1])
        found = queries @ past.sums
        found = found[..., :-1] / nonzero(found[..., -1:])
        return found.reshape(self.rows, -1).to(self.mixed.dtype)

    def _bias(self, past: KVCache | LinearState) -> Float[Tensor, "1 h 1 m"] | None:
        """What the position adds for each distance that may be seen, the largest first."""
        position = self.attention.position
        if position is None:
            return None
        assert isinstance(past, KVCache)
        reach = past.room if past.window is None else past.window
        at = torch.arange(reach, device=self.mixed.device)
        bias = position.bias(at[-1:].unsqueeze(1), at, wide(self.mixed[:0]).dtype)
        return None if bias is None else bias.unsqueeze(0).to(self.mixed.dtype)

    def make_room(self) -> None:
        """Move what is still seen to the front of the room."""
        assert isinstance(self.past, KVCache)
        self.past.make_room(1, self.keys.unsqueeze(2))


def _room(past: KVCache | LinearState) -> Tensor | None:
    """The tensor that a layer's past is kept in."""
    return past.sums if isinstance(past, LinearState) else past.both


def _linear(layer: nn.Module) -> Callable[..., Tensor]:
    """The linear layer as one product."""
    assert isinstance(layer, nn.Linear)
    weight, bias = layer.weight.t(), layer.bias
    if bias is None:
        return lambda x, out=None: torch.mm(x, weight, out=out)
    return lambda x, out=None: torch.addmm(bias, x, weight, out=out)


def _norm(layer: nn.LayerNorm | nn.RMSNorm) -> Step:
    """The layer as one call."""
    shape, weight, epsilon = list(layer.normalized_shape), layer.weight, layer.eps
    if isinstance(layer, nn.RMSNorm):
        return lambda x: torch.rms_norm(x, shape, weight, epsilon)
    bias = layer.bias
    return lambda x: torch.layer_norm(x, shape, weight, bias, layer.eps, False)
