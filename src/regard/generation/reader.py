"""Readers: how generation asks a model for logits, with a KV cache or by reading all of it again.

A reader takes the tokens that follow those it has read, and gives the logits of what follows the last.
"""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Literal, Protocol, get_args, runtime_checkable

import torch
from torch import Tensor

from regard.arguments import told
from regard.errors import RegardError, nearest
from regard.shapes import Float, Int

Model = Callable[..., Tensor]
Prompts = Tensor | Sequence[Tensor]
Beyond = Literal["recompute", "window", "endless"]
"What happens beyond the context; see `reader`."


@runtime_checkable
class Reader(Protocol):
    """What generation asks of a model."""

    def read(self, ids: Int[Tensor, "b n"]) -> Float[Tensor, "b k"]:
        """Take in these tokens; the logits of what follows the last of each row."""
        ...

    def select(self, rows: Int[Tensor, " r"], since: int = 0) -> None:
        """Go on with these rows, which up to `since` have read what those had that they replace."""
        ...


class Whole:
    """Reads the last `context` tokens of each row anew for every token, as course assignments do."""

    def __init__(self, model: Model, *, context: int | None, pads: Int[Tensor, " b"] | None = None) -> None:
        self.model, self.context, self.pads = model, context, pads
        self.ids: Int[Tensor, "b n"] | None = None

    def read(self, ids: Int[Tensor, "b n"]) -> Float[Tensor, "b k"]:
        """The logits after the last `context` tokens; rows of one length are read together."""
        self.ids = ids = ids if self.ids is None else torch.cat([self.ids, ids], 1)
        length = ids.shape[1]
        lengths = ids.new_full((len(ids),), length) if self.pads is None else length - self.pads
        if self.context is not None:
            lengths = lengths.clamp(max=self.context)
        found: Tensor | None = None
        with torch.no_grad():
            for one in lengths.unique().tolist():
                rows = (lengths == one).nonzero()[:, 0]
                logits = self.model(ids[rows, length - one :])[:, -1]
                found = logits.new_empty(len(ids), logits.shape[1]) if found is None else found
                found[rows] = logits
        assert found is not None
        return found

    def select(self, rows: Int[Tensor, " r"], since: int = 0) -> None:
        """Go on with these rows."""
        self.ids = None if self.ids is None else self.ids[rows]
        self.pads = None if self.pads is None else self.pads[rows]


class Cached:
    """Reads each token once, by the model's cache; where that is full, goes on by reading all anew."""

    def __init__(self, model: Any, cache: Any, whole: Whole | None) -> None:
        self.model, self.cache, self.whole = model, cache, whole
        self.next = getattr(model, "next", None)
        self.kept: list[Tensor] = []

    def read(self, ids: Int[Tensor, "b n"]) -> Float[Tensor, "b k"]:
        """The logits after the last token."""
        if self.whole is not None:
            self.kept.append(ids)
            most = inf if self.whole.context is None else self.whole.context
            if self.cache is None or self.cache.length + ids.shape[1] > most:
                unread, self.kept, self.cache = torch.cat(self.kept, 1), [], None
                return self.whole.read(unread)
        if self.next is not None:
            return self.next(ids, self.cache)
        with torch.no_grad():
            return self.model(ids, self.cache)[:, -1]

    def select(self, rows: Int[Tensor, " r"], since: int = 0) -> None:
        """Go on with these rows; the cache moves with them."""
        if self.whole is not None:
            self.kept = [torch.cat(self.kept, 1)[rows]] if self.kept else []
            self.whole.select(rows)
        if self.cache is not None:
            with torch.inference_mode():
                self.cache.select(rows, since)


def reader(
    model: Model,
    *,
    context: int | None = None,
    pads: Int[Tensor, " b"] | None = None,
    beyond: str = "recompute",
) -> Reader:
    """A reader of the model.

    The model maps ids (b n) to logits (b n k); one that has `cache()` reads each token once. Beyond the
    context, 'recompute' reads the last `context` tokens anew for every token; 'window' goes on with the
    cache, so that in every layer a token sees itself and the `context - 1` before it; 'endless', for linear
    attention, goes on with all that was read.
    """
    if beyond not in get_args(Beyond):
        raise RegardError(
            "no rule of that name",
            repr(beyond),
            nearest(beyond, get_args(Beyond), f"one of {', '.join(get_args(Beyond))}"),
        )
    own = getattr(getattr(model, "config", None), "context", None)
    context = own if context is None else context
    make: Any = getattr(model, "cache", None)
    if make is None:
        if beyond != "recompute":
            raise RegardError(
                f"the rule '{beyond}' needs a model with a cache",
                f"{type(model).__name__}",
                "use 'recompute'",
            )
        return Whole(model, context=context, pads=pads)
    words: dict[str, Any] = {} if pads is None else {"pads": pads}
    if beyond == "recompute":
        return Cached(model, make(**words), Whole(model, context=context, pads=pads))
    if own != context:
        raise RegardError(
            f"the rule '{beyond}' goes by the model's own context",
            f"context={context}, the model's is {own}",
            "leave the context out, or use 'recompute'",
        )
    return Cached(model, make(beyond=beyond, **words), None)


def aligned(prompt: Prompts) -> tuple[Int[Tensor, "b n"], Int[Tensor, " b"] | None]:
    """Prompts as one tensor, the shorter ones moved to the right, and how many ids before each do not count.

    >>> aligned([torch.tensor([5, 6, 7]), torch.tensor([8])])
    (tensor([[5, 6, 7],
             [0, 0, 8]]), tensor([0, 2]))
    """
    if isinstance(prompt, Tensor):
        check(prompt.dim() == 2 and prompt.numel() > 0 and not prompt.is_floating_point(), told(prompt))
        return prompt, None
    check(len(prompt) > 0, "no prompt")
    for one in prompt:
        check(one.dim() == 1 and len(one) > 0 and not one.is_floating_point(), told(one))
    longest = max(len(one) for one in prompt)
    pads = torch.tensor([longest - len(one) for one in prompt], device=prompt[0].device)
    rows = [torch.nn.functional.pad(one, (longest - len(one), 0)) for one in prompt]
    return torch.stack(rows), pads if pads.any() else None


def check(holds: bool, got: str) -> None:
    """Raise unless there is a token to start from."""
    if not holds:
        raise RegardError(
            "a prompt is ids of the shape (b n), or a list of ids (n), with at least one token",
            got,
            "give the model a token to start from",
        )
