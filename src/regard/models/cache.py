"""What a model has read, kept so that the next tokens cost no second reading."""

import torch
from torch import Tensor

from regard.errors import RegardError
from regard.shapes import Float, Int


class Memory:
    """The keys and values of one layer, in room that is made once."""

    def __init__(self, room: int) -> None:
        self.room, self.length = room, 0
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    def extend(
        self, keys: Float[Tensor, "b g n d"], values: Float[Tensor, "b g n c"]
    ) -> tuple[Tensor, Tensor]:
        """Take in the next keys and values; give all there are so far."""
        if torch.is_grad_enabled() and keys.requires_grad:
            raise RegardError(
                "a cache is overwritten as it grows, so no gradient passes through it",
                "gradients are on",
                "generate under torch.inference_mode(), train without a cache",
            )
        if self.keys is None or self.values is None:
            self.keys, self.values = (
                x.new_empty(*x.shape[:2], self.room, x.shape[3]) for x in (keys, values)
            )
        end = self.length + keys.shape[2]
        self.keys[:, :, self.length : end] = keys
        self.values[:, :, self.length : end] = values
        self.length = end
        return self.keys[:, :, :end], self.values[:, :, :end]

    def select(self, rows: Int[Tensor, " r"]) -> None:
        """Keep these rows of the batch, in this order."""
        if self.keys is not None and self.values is not None:
            self.keys, self.values = self.keys.index_select(0, rows), self.values.index_select(0, rows)


class Cache:
    """The tokens read so far, and each layer's keys and values of them. `GPT.cache()` makes one.

    >>> cache = Cache(depth=2, room=8)
    >>> cache.read(torch.tensor([[3, 1, 4]])); cache.length
    3
    """

    def __init__(self, depth: int, room: int) -> None:
        self.layers = [Memory(room) for _ in range(depth)]
        self.ids: Int[Tensor, "b n"] | None = None

    @property
    def length(self) -> int:
        """How many tokens were read."""
        return 0 if self.ids is None else self.ids.shape[1]

    def read(self, ids: Int[Tensor, "b n"]) -> None:
        """Note the next tokens."""
        self.ids = ids if self.ids is None else torch.cat([self.ids, ids], 1)

    def select(self, rows: Int[Tensor, " r"]) -> None:
        """Keep these rows of the batch, in this order; a row may come more than once."""
        for layer in self.layers:
            layer.select(rows)
        self.ids = None if self.ids is None else self.ids.index_select(0, rows)

    def crop(self, n: int) -> None:
        """Forget all but the first n tokens; those that come next are written over them."""
        if not 0 <= n <= self.length:
            raise RegardError(
                "a cache can only be made shorter", f"n={n}, length {self.length}", f"0 <= n <= {self.length}"
            )
        for layer in self.layers:
            layer.length = n
        self.ids = None if self.ids is None else self.ids[:, :n]
