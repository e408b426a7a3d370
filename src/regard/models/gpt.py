"""A decoder of tokens: blocks of attention over the past, from one config. GPT-2 is one of its settings.

Radford, Wu, Child, Luan, Amodei, Sutskever: Language Models are Unsupervised Multitask Learners, 2019.
"""

from itertools import repeat
from math import sqrt

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.errors import RegardError
from regard.models.block import Block, norm
from regard.models.cache import Cache
from regard.models.config import Config
from regard.shapes import Float, Int


class GPT(nn.Module):
    """Token ids to the logits of the token that follows each.

    >>> model = GPT(Config(vocabulary=65, context=64, depth=2, heads=2, width=16))
    >>> model(torch.zeros(1, 10, dtype=torch.long)).shape
    torch.Size([1, 10, 65])
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(config.vocabulary, config.width)
        self.places = nn.Embedding(config.context, config.width) if config.position == "learned" else None
        self.earlier = nn.ModuleList(
            nn.Embedding(config.vocabulary, config.width) for _ in range(config.history)
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

    def cache(self) -> Cache:
        """An empty cache for this model, to be passed to each call in turn."""
        return Cache(self.config.depth, self.config.context)

    def forward(self, ids: Int[Tensor, "b n"], cache: Cache | None = None) -> Float[Tensor, "b n k"]:
        """The logits of what follows each token; with a cache, the tokens go on from those it holds.

        >>> model = GPT(Config(vocabulary=5, context=8, depth=1, heads=1, width=4))
        >>> ids, cache = torch.tensor([[3, 1, 4, 1]]), model.cache()
        >>> with torch.inference_mode():
        ...     whole, parts = model(ids), [model(ids[:, :3], cache), model(ids[:, 3:], cache)]
        >>> torch.allclose(whole, torch.cat(parts, 1), atol=1e-6)
        True
        """
        past = 0 if cache is None else cache.length
        self._check_length(past + ids.shape[1])
        x = self.drop(self._embed(ids, cache, past))
        if cache is not None:
            cache.read(ids)
        for block, memory in zip(self.blocks, repeat(None) if cache is None else cache.layers, strict=False):
            x = block(x, memory)
        return F.linear(self.norm(x), self.tokens.weight if self.head is None else self.head.weight)

    def _embed(self, ids: Tensor, cache: Cache | None, past: int) -> Float[Tensor, "b n c"]:
        """Token, place, and the tokens just before."""
        x = self._look_up(ids)
        if self.places is not None:
            x = x + self.places.weight[past : past + ids.shape[1]]
        known = ids if cache is None or cache.ids is None else torch.cat([cache.ids, ids], 1)
        for distance, table in enumerate(self.earlier, 1):
            # Where nothing came before, nothing is added.
            before = known[:, max(past - distance, 0) : max(known.shape[1] - distance, 0)]
            x = x + F.pad(table(before), (0, 0, ids.shape[1] - before.shape[1], 0))
        return x

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

    def _check_length(self, length: int) -> None:
        if length > self.config.context:
            raise RegardError(
                "the text is longer than the model's context",
                f"{length} tokens",
                f"pass the last {self.config.context} tokens, or build the model with context={length}",
            )

    def _start(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=self.config.deviation)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def _start_added(self) -> None:
        """The maps whose output is added to the tokens, so that depth does not swell them, and the head."""
        start, shrunk = self.config.start, self.config.deviation / sqrt(2 * self.config.depth)
        for block in self.blocks:
            for name in ("attention",) if start == "attention" else ("attention", "mlp"):
                weight = block.get_parameter(f"{name}.out.weight")
                nn.init.normal_(weight, std=0.0 if start == "zero" else shrunk)
        if self.head is not None and start == "zero":
            nn.init.zeros_(self.head.weight)
