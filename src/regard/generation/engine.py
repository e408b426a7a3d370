"""Token ids in, token ids out: a model asked again and again for what comes next."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from regard.errors import RegardError
from regard.generation.sampling import Sampler
from regard.shapes import Int


def generate(
    model: Callable[..., Tensor],
    prompt: Int[Tensor, "b n"],
    *,
    steps: int,
    context: int,
    sampler: Sampler | None = None,
    generator: torch.Generator | None = None,
) -> Iterator[Int[Tensor, " b"]]:
    """The tokens that follow a prompt, one for each row at a time.

    The model maps ids (b n) to logits (b n k). One that has `cache()` reads each token once, while all fit in
    the `context`; beyond it, the last `context` tokens are read anew for every token, as the course documents
    do. The model is asked as it is: call `eval()` first, or its dropout will speak too.

    >>> def count(ids):
    ...     return torch.nn.functional.one_hot((ids + 1) % 5, 5).float()
    >>> tokens = generate(count, torch.tensor([[3]]), steps=4, context=2, sampler=Sampler(temperature=0))
    >>> [int(token) for token in tokens]
    [4, 0, 1, 2]
    """
    _check(prompt, steps, context)
    sampler = sampler or Sampler()
    cache: Any = model.cache() if hasattr(model, "cache") else None  # type: ignore[attr-defined]
    ids, unread = prompt, prompt[:, -context:]
    if prompt.shape[1] > context:
        cache = None
    for _ in range(steps):
        with torch.no_grad():
            logits = model(unread) if cache is None else model(unread, cache)
        token = sampler.choose(logits[:, -1].float(), ids, generator)
        yield token
        ids = torch.cat([ids, token[:, None]], 1)
        if ids.shape[1] > context:
            cache = None
        unread = ids[:, -context:] if cache is None else token[:, None]


def continuation(
    model: Callable[..., Tensor],
    prompt: Int[Tensor, "b n"],
    *,
    steps: int,
    context: int,
    sampler: Sampler | None = None,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "b steps"]:
    """All the tokens that follow a prompt, at once."""
    found = generate(model, prompt, steps=steps, context=context, sampler=sampler, generator=generator)
    return torch.stack(list(found), 1)


def _check(prompt: Tensor, steps: int, context: int) -> None:
    if prompt.dim() != 2 or prompt.shape[1] == 0:
        raise RegardError(
            "a prompt is ids of the shape (b n) with at least one token",
            f"shape {tuple(prompt.shape)}",
            "give the model a token to start from",
        )
    if steps < 1 or context < 1:
        raise RegardError(
            "there is nothing to generate", f"steps={steps}, context={context}", "give at least 1 of each"
        )
