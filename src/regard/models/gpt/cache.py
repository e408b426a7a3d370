"""KV cache: what a model has read, kept so that the next tokens cost no second reading."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.core.attend import attend
from regard.core.call import wide
from regard.core.mask import Mask
from regard.core.normalise import Raw, nonzero
from regard.core.similarity import Kernel
from regard.core.support import Causal, Support, Window
from regard.errors import RegardError
from regard.shapes import Float, Int


class Seen(NamedTuple):
    """The keys and values that the new queries may look at, and which of them each may."""

    keys: Float[Tensor, "b g m d"]
    values: Float[Tensor, "b g m d"]
    support: Support


class Move(NamedTuple):
    """The rows of a batch that go on, in their order."""

    rows: Int[Tensor, " r"]
    targets: Int[Tensor, " t"]
    "Places that another row takes."
    sources: Int[Tensor, " t"]
    "The rows that take them."
    since: int
    "Up to where what they have read is the same."

    @classmethod
    def of(cls, rows: Int[Tensor, " r"], since: int = 0) -> "Move":
        """The move to these rows."""
        targets = (rows != torch.arange(len(rows), device=rows.device)).nonzero()[:, 0]
        return cls(rows, targets, rows[targets], since)


class LayerCache:
    """What one layer has read: how many tokens, and how many of them are pads in each row, at its start."""

    def __init__(self, pads: Int[Tensor, " b"] | None = None) -> None:
        self.length, self.pads = 0, pads
        self.most = 0 if pads is None else int(pads.max())

    def positions(self, n: int, device: torch.device) -> Int[Tensor, "*b n"]:
        """Where the next n tokens stand in their rows, (n) or row by row (b n); pads stand below 0."""
        index = torch.arange(self.length, self.length + n, device=device)
        return index if self.pads is None else index - self.pads[:, None]

    def select(self, move: Move) -> None:
        """Keep these rows of the batch, in this order."""
        if self.pads is not None:
            self.pads = self.pads.index_select(0, move.rows)

    def crop(self, n: int) -> None:
        """Forget all but the first n."""
        self.length = n


class KVCache(LayerCache):
    """The keys and values of one layer, in room that is made once.

    With a window, a query sees itself and the `window - 1` keys before it, as under `Window`; there is then
    room for twice as many, so that what is still seen has to be moved to the front only now and then.
    """

    def __init__(
        self, room: int, *, window: int | None = None, pads: Int[Tensor, " b"] | None = None
    ) -> None:
        super().__init__(pads)
        self.room = room if window is None else max(room, 2 * window)
        self.window = window
        self.base = 0  # the place of the first key that is still there
        self.both: Float[Tensor, "2 b g room d"] | None = None

    def extend(self, keys: Float[Tensor, "b g n d"], values: Float[Tensor, "b g n d"]) -> Seen:
        """Take in the next keys and values; give all that they may look at, themselves the last."""
        refuse_gradients(keys)
        n = keys.shape[2]
        self.make_room(n, keys)
        assert self.both is not None
        first, end = self.first(self.length), self.length + n - self.base
        for target, source in zip(self.both, (keys, values), strict=True):
            target[:, :, end - n : end] = source
        self.length += n
        keys, values = self.both[:, :, :, first:end]
        return Seen(keys, values, self.support(n, end - first))

    def first(self, place: int) -> int:
        """Where the first key lies that a query at that place sees."""
        return 0 if self.window is None else max(place - self.window + 1 - self.base, 0)

    def make_room(self, n: int, like: Float[Tensor, "b g _ d"]) -> None:
        """Room for n more: the first time all of it, later by moving what is still seen to the front."""
        end = self.length - self.base
        if self.both is not None and end + n <= self.room:
            return
        first = self.first(self.length)
        self.room = max(self.room, end - first + n)
        kept = None if self.both is None else self.both[:, :, :, first:end].clone()
        if self.both is None or self.both.shape[3] < self.room:
            b, g, _, d = like.shape
            # A tensor made under inference_mode could not be written to outside of it.
            with torch.inference_mode(False):
                self.both = like.new_empty(2, b, g, self.room, d)
        if kept is not None:
            self.both[:, :, :, : end - first] = kept
        self.base += first

    def support(self, n: int, m: int) -> Support:
        """What each of the last n of m keys' queries may look at."""
        past = Causal() if self.window is None else Window(self.window - 1, causal=True)
        if self.pads is None or self.length - m >= self.most:
            return Causal() if n == 1 else past
        device = self.pads.device
        j = torch.arange(self.length - m, self.length, device=device)
        # A pad sees itself, so that its row is no division by zero; nobody sees a pad.
        own = j[m - n :, None] == j
        allowed = past.mask(n, m, device) & (j >= self.pads[:, None])[:, None, None]
        return Mask(allowed | own)

    def select(self, move: Move) -> None:
        """Keep these rows of the batch, in this order."""
        super().select(move)
        if self.both is None:
            return
        if len(move.rows) == self.both.shape[1]:
            held = self.both[:, :, :, max(move.since - self.base, 0) : self.length - self.base]
            held.index_copy_(1, move.targets, held.index_select(1, move.sources))
        else:
            with torch.inference_mode(False):
                self.both = self.both.index_select(1, move.rows)


class LinearState(LayerCache):
    """What linear attention knows of its past: sums over the keys, of one size however long it is.

    S = sum of phi(k) v and z = sum of phi(k), from which y = phi(q) S / phi(q) z.
    """

    def __init__(self, pads: Int[Tensor, " b"] | None = None) -> None:
        super().__init__(pads)
        self.sums: Float[Tensor, "b g d c"] | None = None

    def attend(
        self,
        q: Float[Tensor, "b h n d"],
        k: Float[Tensor, "b g n d"],
        v: Float[Tensor, "b g n c"],
        kernel: Kernel,
    ) -> Float[Tensor, "b h n c"]:
        """What the next queries take from the past and from each other; then they are part of the past.

        The sum z is a channel of ones behind the values.
        """
        refuse_gradients(k)
        queries, keys, values = wide(q), wide(k), self.with_ones(wide(v))
        found = attend(queries, keys, values, similarity=kernel, support=Causal(), normalise=Raw()).output
        if self.sums is not None:
            shared = kernel.phi(queries).unflatten(1, (k.shape[1], -1)).flatten(2, 3)
            found = found + (shared @ self.sums).view_as(found)
        new = kernel.phi(keys).mT @ values
        self.sums = new if self.sums is None else self.sums + new
        self.length += k.shape[2]
        return (found[..., :-1] / nonzero(found[..., -1:])).to(v.dtype)

    def with_ones(self, values: Float[Tensor, "b g n c"]) -> Float[Tensor, "b g n c1"]:
        """The values with a channel of ones; all zeros for pads, which thereby add to no sum."""
        values = F.pad(values, (0, 1), value=1.0)
        if self.length >= self.most:
            return values
        return values * (self.positions(values.shape[2], values.device) >= 0)[:, None, :, None]

    def select(self, move: Move) -> None:
        """Keep these rows of the batch, in this order."""
        super().select(move)
        if self.sums is not None:
            with torch.inference_mode(False):
                self.sums = self.sums.index_select(0, move.rows)

    def crop(self, n: int) -> None:
        """Refused, but for keeping all: nothing can be taken out of a sum that was rounded."""
        if n != self.length:
            raise RegardError(
                "linear attention keeps sums, from which no token can be taken back",
                f"n={n}, length {self.length}",
                "read the shorter text anew",
            )


class Cache:
    """What each layer keeps of the tokens read so far. `GPT.cache()` makes one.

    >>> cache = Cache([KVCache(room=8)])
    >>> cache.read(torch.tensor([[3, 1, 4]])); cache.length
    3
    """

    def __init__(
        self,
        layers: Sequence[KVCache] | Sequence[LinearState],
        *,
        ngram: int = 0,
        endless: bool = False,
    ) -> None:
        self.layers, self.ngram, self.endless = list(layers), ngram, endless
        self.length = 0
        self.decoder: Any = None
        "The model's way of taking single tokens, bound to the room of this cache."
        self.ids: Int[Tensor, "b n"] | None = None
        "The tokens read, where the model looks at earlier ones; beyond the context only the last."

    def read(self, ids: Int[Tensor, "b n"]) -> None:
        """Note the next tokens."""
        self.length += ids.shape[1]
        if self.ngram:
            known = ids if self.ids is None else torch.cat([self.ids, ids], 1)
            self.ids = known[:, -self.ngram :] if self.endless else known

    def select(self, rows: Int[Tensor, " r"], since: int = 0) -> None:
        """Keep these rows of the batch, in this order; a row may come more than once.

        Rows whose first `since` tokens are those of the rows that they replace need not be moved that far.
        """
        move = Move.of(rows, since)
        for layer in self.layers:
            layer.select(move)
        self.ids = None if self.ids is None else self.ids.index_select(0, rows)

    def crop(self, n: int) -> None:
        """Forget all but the first n tokens; those that come next are written over them."""
        if not 0 <= n <= self.length:
            raise RegardError(
                "a cache can only be made shorter", f"n={n}, length {self.length}", f"0 <= n <= {self.length}"
            )
        if self.endless and n < self.length:
            raise RegardError(
                "a cache that goes beyond the context has let go of what a shorter text would see",
                f"n={n}, length {self.length}",
                "read the shorter text anew",
            )
        for layer in self.layers:
            layer.crop(n)
        self.ids = None if self.ids is None else self.ids[:, : n - self.length or None]
        self.length = n


def refuse_gradients(keys: Tensor) -> None:
    """Raise where a gradient would have to pass through what is overwritten."""
    if torch.is_grad_enabled() and keys.requires_grad:
        raise RegardError(
            "a cache is overwritten as it grows, so no gradient passes through it",
            "gradients are on",
            "generate under torch.inference_mode(), train without a cache",
        )
