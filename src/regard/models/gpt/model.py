"""GPT: a decoder-only transformer from one config; GPT-2 is one of its settings.

Radford, Wu, Child, Luan, Amodei, Sutskever: Language Models are Unsupervised Multitask Learners, 2019.
"""

from itertools import repeat
from math import sqrt
from pathlib import Path
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.arguments import check, told
from regard.core.backends.gpu.usable import usable
from regard.core.trace import recorder
from regard.errors import RegardError
from regard.models.gpt.block import Block, norm
from regard.models.gpt.cache import Cache, KVCache, LayerCache, LinearState
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.step import Decoder
from regard.shapes import Float, Int

Beyond = Literal["refuse", "window", "endless"]
"What a cache does with the token after the context."


class GPT(nn.Module):
    """Token ids to the logits of the token that follows each.

    >>> model = GPT(GPTConfig(vocabulary=65, context=64, depth=2, heads=2, width=16))
    >>> model(torch.zeros(1, 10, dtype=torch.long)).shape
    torch.Size([1, 10, 65])
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        check("GPT", "config", config, GPTConfig)
        self.config = config
        self.source: Path | None = None
        "The folder that its weights were read from, where a tokenizer may lie beside them."
        self.tokens = nn.Embedding(config.vocabulary, config.width)
        self.positions = nn.Embedding(config.context, config.width) if config.position == "learned" else None
        self.earlier = nn.ModuleList(
            nn.Embedding(config.vocabulary, config.width) for _ in range(config.ngram)
        )
        self.drop = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.depth))
        self.norm = norm(config)
        self.head = None if config.tied else nn.Linear(config.width, config.vocabulary, bias=False)
        self.apply(self._start)
        self._start_added()

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return sum(parameter.numel() for parameter in self.parameters())

    def cache(self, *, pads: Int[Tensor, " b"] | None = None, beyond: Beyond = "refuse") -> Cache:
        """An empty cache for this model, to be passed to each call in turn.

        Prompts of different length in one batch stand at the right: `pads` says how many tokens of each row,
        whatever they are, do not count. Beyond the context the next token is refused; with 'window' each
        token sees itself and the `context - 1` before it, in every layer, and with 'endless', which linear
        attention alone can do in constant memory, it sees all.
        """
        config = self.config
        self._check_beyond(beyond)
        if config.attention == "linear":
            layers = [LinearState(pads) for _ in range(config.depth)]
        else:
            window = config.context if beyond == "window" else None
            layers = [KVCache(config.context, window=window, pads=pads) for _ in range(config.depth)]
        return Cache(layers, ngram=config.ngram, endless=beyond != "refuse")

    def forward(self, ids: Int[Tensor, "b n"], cache: Cache | None = None) -> Float[Tensor, "b n k"]:
        """The logits of what follows each token; with a cache, the tokens go on from those it holds.

        >>> model = GPT(GPTConfig(vocabulary=5, context=8, depth=1, heads=1, width=4))
        >>> ids, cache = torch.tensor([[3, 1, 4, 1]]), model.cache()
        >>> with torch.inference_mode():
        ...     whole, parts = model(ids), [model(ids[:, :3], cache), model(ids[:, 3:], cache)]
        >>> torch.allclose(whole, torch.cat(parts, 1), atol=1e-6)
        True
        """
        return F.linear(self.norm(self._read(ids, cache)), self.output)

    def before_head(self, ids: Int[Tensor, "b n"]) -> tuple[Float[Tensor, "b n c"], Float[Tensor, "k c"]]:
        """The tokens before the head, in autocast's type, and its weights: for losses that join the two."""
        x = self.norm(self._read(ids, None))
        return x.to(torch.get_autocast_dtype(x.device.type)), self.output

    @torch.inference_mode()
    def next(self, ids: Int[Tensor, "b n"], cache: Cache) -> Float[Tensor, "b k"]:
        """The logits of what follows the last token: `forward(ids, cache)[:, -1]`, without gradients.

        A single token takes a way with less around each sum, where nothing watches (no dropout, no trace).

        >>> model = GPT(GPTConfig(vocabulary=5, context=8, depth=1, heads=1, width=4))
        >>> ids, cache = torch.tensor([[3, 1, 4, 1]]), model.cache()
        >>> parts = model.next(ids[:, :3], cache), model.next(ids[:, 3:], cache)
        >>> torch.allclose(parts[1], model(ids)[:, -1], atol=1e-6)
        True
        """
        if ids.shape[1] == 1 and cache.length and self._unwatched():
            if cache.decoder is None or not cache.decoder.fits(self, len(ids)):
                cache.decoder = Decoder(self, cache)
            return cache.decoder.step(ids[:, 0])
        return F.linear(self.norm(self._read(ids, cache)[:, -1]), self.output)

    def device_steps(self, rows: int) -> Any:
        """A step over room of its own that a CUDA graph can hold; None where the kernels cannot take it."""
        if not (usable(self.tokens.weight) and self._unwatched()):
            return None
        from regard.models.gpt import device_step  # imports Triton, which not every machine has

        return device_step.DeviceStep(self, rows) if device_step.can(self, rows) else None

    @property
    def output(self) -> Float[Tensor, "k c"]:
        """The weights of the head: the token table, where they are tied."""
        return self.tokens.weight if self.head is None else self.head.weight

    def check_length(self, length: int, cache: Cache | None) -> None:
        """Raise where a text of so many tokens cannot be read."""
        if length > self.config.context and (cache is None or not cache.endless):
            raise RegardError(
                "the text is longer than the model's context",
                f"{length} tokens",
                f"pass the last {self.config.context} tokens, or build the model with context={length}",
            )

    def _read(self, ids: Tensor, cache: Cache | None) -> Float[Tensor, "b n c"]:
        """The tokens after the last block."""
        if not isinstance(ids, Tensor) or ids.dim() != 2 or ids.dtype not in (torch.int64, torch.int32):
            raise RegardError(
                "a GPT reads token ids: a tensor (b n) of whole numbers",
                told(ids),
                "pass tokenizer.encode(text)[None], or ids.long() with two axes",
            )
        if not ids.shape[1]:
            raise RegardError(
                "a GPT reads at least one token", told(ids), "pass the ids of a text that is not empty"
            )
        if cache is not None:
            check("GPT", "cache", cache, Cache)
        self.check_length(ids.shape[1] + (0 if cache is None else cache.length), cache)
        x = self.drop(self.embed(ids, cache))
        if x.is_cuda and torch.is_autocast_enabled("cuda"):
            # What is added from block to block is then moved in half precision too.
            x = x.to(torch.get_autocast_dtype("cuda"))
        if cache is not None:
            cache.read(ids)
        for block, memory in zip(self.blocks, repeat(None) if cache is None else cache.layers, strict=False):
            x = block(x, memory)
        return x

    def embed(self, ids: Int[Tensor, "b n"], cache: Cache | None = None) -> Float[Tensor, "b n c"]:
        """Token, place, and the tokens just before."""
        x, n = self._look_up(ids), ids.shape[1]
        past = None if cache is None else cache.layers[0]
        if self.positions is not None:
            x = x + self._place(n, past)
        if not self.earlier:
            return x
        known = ids if cache is None or cache.ids is None else torch.cat([cache.ids, ids], 1)
        for distance, table in enumerate(self.earlier, 1):
            # Where nothing came before, nothing is added.
            end = known.shape[1] - distance
            before = known[:, max(end - n, 0) : max(end, 0)]
            added = F.pad(table(before), (0, 0, n - before.shape[1], 0))
            if past is not None and past.pads is not None:
                added = added * (past.positions(n, ids.device) >= distance).unsqueeze(-1)
            x = x + added
        return x

    def _place(self, n: int, past: LayerCache | None) -> Float[Tensor, "*b n c"]:
        assert self.positions is not None
        if past is not None and past.pads is not None:
            return self.positions(past.positions(n, past.pads.device).clamp(min=0))
        start = 0 if past is None else past.length
        return self.positions.weight[start : start + n]

    def _unwatched(self) -> bool:
        """Whether a step may be taken without the modules: nothing is drawn, recorded or cast on the way."""
        cast = torch.is_autocast_enabled(self.tokens.weight.device.type)
        return not (self.training or recorder() is not None or cast)

    def _look_up(self, ids: Tensor) -> Float[Tensor, "b n c"]:
        # On a CPU the table notices an id out of range by itself: to ask first would cost time at every call.
        try:
            return self.tokens(ids)
        except IndexError as error:
            raise RegardError(
                "a token id outside of the vocabulary",
                f"ids from {ids.min()} to {ids.max()}",
                f"ids go from 0 to {self.config.vocabulary - 1}",
            ) from error

    def _check_beyond(self, beyond: Beyond) -> None:
        config = self.config
        if beyond != "refuse" and self.positions is not None:
            raise RegardError(
                "learned positions have no place beyond the context",
                f"beyond='{beyond}', position='learned'",
                "use the rule 'recompute', or build the model with position='rotary'",
            )
        fitting = "endless" if config.attention == "linear" else "window"
        if beyond not in ("refuse", fitting):
            raise RegardError(
                f"{config.attention} attention cannot go on like that beyond the context",
                f"beyond='{beyond}'",
                f"use the rule '{fitting}', or 'recompute'",
            )

    def _start(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=self.config.init_std)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def _start_added(self) -> None:
        """The maps whose output is added to the tokens, so that depth does not swell them, and the head."""
        start, shrunk = self.config.init, self.config.init_std / sqrt(2 * self.config.depth)
        for block in self.blocks:
            for name in ("attention",) if start == "attention" else ("attention", "mlp"):
                weight = block.get_parameter(f"{name}.out.weight")
                nn.init.normal_(weight, std=0.0 if start == "zero" else shrunk)
        if self.head is not None and start == "zero":
            nn.init.zeros_(self.head.weight)
