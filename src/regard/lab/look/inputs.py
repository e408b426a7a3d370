"""What a model of one's own is fed: a text, an example of its file, or what its first layers take."""

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from regard.errors import RegardError

TOKENS, NODES = 12, 8
SIDES = (224, 32, 28, 64, 96, 128, 16)
"Heights of pictures that are tried, where a model does not keep its own."
EDGES = ("edge_index", "edges", "edge", "graph")
ADJACENT = ("adj", "adjacency", "adj_mat", "a", "adjacency_matrix")
Fed = tuple[tuple[Any, ...], list[str], str]
"Inputs, their labels, and a sentence that says what they are."


def fed(model: nn.Module, module: ModuleType, prompt: str | None, shape: list[int] | None) -> Iterator[Fed]:
    """Inputs to try, the likeliest first."""
    torch.manual_seed(0)
    names = [
        p.name.lower() for p in inspect.signature(model.forward).parameters.values() if p.default is p.empty
    ]
    # A layer that asks for queries, keys and values gets the same for all three.
    times = 3 if len(names) == 3 and names[0].startswith("q") else 1
    if prompt is not None:
        inputs, labels, what = _text(model, module, prompt)
        yield times * inputs, labels, what
        return
    if shape is not None:
        yield times * (_of_shape(model, shape),), [], f"fed with random numbers of shape {tuple(shape)}"
        return
    if (example := getattr(module, "example", None)) is not None:
        made = example() if callable(example) else example
        yield (
            (tuple(made) if isinstance(made, list | tuple) else (made,)),
            [],
            "fed with the example of the file",
        )
        return
    yield from _guesses(model, names, times)


def _guesses(model: nn.Module, names: list[str], times: int) -> Iterator[Fed]:
    if len(names) > 1 and names[1] in EDGES + ADJACENT:
        ring = torch.stack([torch.arange(NODES), (torch.arange(NODES) + 1) % NODES])
        ring = torch.cat([ring, ring.flip(0)], 1)
        dense = torch.eye(NODES).index_put((ring[1], ring[0]), torch.ones(2 * NODES))
        for width in _widths(model):
            edges = ring if names[1] in EDGES else dense
            yield (
                (torch.randn(NODES, width), edges),
                [],
                f"fed with a ring of {NODES} nodes, {width} random features each",
            )
        return
    words = _words(model)
    if words:
        ids = torch.arange(min(TOKENS, words))[None] % words
        yield (ids,), [], f"fed with the ids 0 to {ids.shape[1] - 1}; --prompt feeds a text"
    for channels, sides in _pictures(model):
        for side in sides:
            picture = torch.rand(1, channels, side, side)
            size = f"{channels} channels, {side} by {side}"
            yield (picture,), [], f"fed with a random picture of {size}; --input gives another shape"
    for width in _widths(model):
        x = torch.randn(1, TOKENS, width)
        yield (
            times * (x,),
            [],
            f"fed with {TOKENS} random vectors of width {width}; --prompt feeds a text, --input a shape",
        )


def _text(model: nn.Module, module: ModuleType, prompt: str) -> Fed:
    if not prompt:
        raise RegardError("the prompt is empty", "''", "give at least one character")
    own = getattr(module, "encode", None) or getattr(getattr(module, "tokenizer", None), "encode", None)
    words = _words(model)
    if callable(own):
        ids = torch.as_tensor(own(prompt)).flatten().long()
        back = getattr(module, "decode", None) or getattr(getattr(module, "tokenizer", None), "decode", None)
        labels = [_said(back, int(one)) for one in ids] if callable(back) else list(prompt)
        return (ids[None],), labels, "the text is encoded as the file does it"
    if words:
        ids = torch.tensor([list(prompt.encode())])
        note = "the ids are the bytes of the text"
        if words < 256:
            ids, note = ids % words, f"{note}, modulo the {words} that the model knows"
        return (
            (ids,),
            [chr(one) if one < 128 else f"{one:02x}" for one in prompt.encode()],
            (f"{note}: the file has no encode(text)"),
        )
    width = next(_widths(model), 16)
    table = torch.randn(len(set(prompt)), width)
    at = {one: number for number, one in enumerate(dict.fromkeys(prompt))}
    x = torch.stack([table[at[one]] for one in prompt])[None]
    return (
        (x,),
        list(prompt),
        f"the model takes vectors: each character of the text is a random one of width {width}",
    )


def _said(decode: Callable[[list[int]], Any], number: int) -> str:
    try:
        return str(decode([number]))
    except Exception:  # a decoder of the person's own may want anything
        return str(number)


def _of_shape(model: nn.Module, shape: list[int]) -> Tensor:
    words = _words(model)
    if words and len(shape) == 2:
        return torch.arange(shape[0] * shape[1]).view(*shape) % words
    return torch.randn(*shape)


def _words(model: nn.Module) -> int:
    """How many tokens the model knows; 0 where it takes no ids."""
    tables = [one for one in model.modules() if isinstance(one, nn.Embedding)]
    # A table of places may stand before or after that of the tokens, and has rarely more rows.
    return max((one.num_embeddings for one in tables), default=0)


def _pictures(model: nn.Module) -> Iterator[tuple[int, tuple[int, ...]]]:
    first = next((one for one in model.modules() if isinstance(one, nn.Conv2d)), None)
    kept = [
        v
        for k, v in vars(model).items()
        if isinstance(v, int) and any(w in k for w in ("img", "image", "side"))
    ]
    if first is not None:
        yield first.in_channels, (*kept, *SIDES)
    elif kept:
        yield from ((channels, tuple(kept)) for channels in (3, 1))


def _widths(model: nn.Module) -> Iterator[int]:
    """Widths that a first layer takes, each once."""
    seen = set()
    for one in model.modules():
        width = (
            getattr(one, "embed_dim", None)
            or getattr(one, "in_features", None)
            or getattr(one, "in_channels", None)
        )
        if width is None and isinstance(one, nn.LayerNorm | nn.RMSNorm):
            width = one.normalized_shape[-1]
        if width is None and one is not model:
            continue
        if width is None:
            own = [p for p in one.parameters(recurse=False) if p.dim() == 2]
            width = own[0].shape[0] if own else None
        if isinstance(width, int) and 0 < width < 10**5 and width not in seen:
            seen.add(width)
            yield width
