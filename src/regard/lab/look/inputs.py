"""What a model of one's own is fed: a text, an example of its file, or what its first layers take."""

import inspect
import sys
from collections.abc import Callable, Iterator
from itertools import islice, product
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from regard.errors import RegardError

TOKENS, NODES = 12, 8
SIDES = (224, 32, 28, 64, 96, 128, 16)
"Heights of pictures that are tried, where a model does not keep its own."
EDGES = ("edge_index", "edges", "edge", "graph")
DECODED = "decoder_input_ids"
TRIALS = 64
"Combinations of inputs that are tried of a model that takes several."
ADJACENT = ("adj", "adjacency", "adj_mat", "a", "adjacency_matrix")
Fed = tuple[tuple[Any, ...], list[str], str]
"Inputs, their labels, and a sentence that says what they are."


def fed(model: nn.Module, module: ModuleType, prompt: str | None, shape: list[int] | None) -> Iterator[Fed]:
    """Inputs to try, the likeliest first."""
    torch.manual_seed(0)
    names = _names(model)
    times = _times(names)
    if prompt is not None:
        for (x,), labels, what in _texts(model, module, prompt):
            yield _beside(model, names, x, times), labels, what
        return
    if shape is not None:
        x = _of_shape(model, shape)
        yield _beside(model, names, x, times), [], f"fed with random numbers of shape {tuple(shape)}"
        return
    if (example := getattr(module, "example", None)) is not None:
        made = example() if callable(example) else example
        yield (
            (tuple(made) if isinstance(made, list | tuple) else (made,)),
            [],
            "fed with the example of the file",
        )
        return
    if len(names) > 1 and names[1] in EDGES + ADJACENT:
        yield from _rings(model, names)
    elif len(names) > 1 and times == 1:
        yield from _together(model, names)
    else:
        for x, what, other in _offers(model):
            yield times * (x,), [], f"fed with {what}; {other}"
        yield from _geometric(model)


def of_text(model: nn.Module, text: str) -> Iterator[Fed]:
    """A text for a model without a tokenizer, to try in turn: its bytes, or a vector for each letter."""
    names = _names(model)
    for x, labels, what in _bytes(model, text, "the model has no tokenizer; tokenizer=… gives it one"):
        yield _beside(model, names, x, _times(names)), labels, what


def _times(names: list[str]) -> int:
    """How often a model is given the same: thrice where a layer asks for queries, keys and values."""
    return 3 if len(names) == 3 and names[0].startswith("q") else 1


def _names(model: nn.Module) -> list[str]:
    """What a call must give, in lower case; encoder-decoders of transformers require nothing by name."""
    taken = inspect.signature(model.forward).parameters
    if DECODED in taken:
        return list(taken)[: list(taken).index(DECODED) + 1]
    starred = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name.lower() for p in taken.values() if p.default is p.empty and p.kind not in starred]


def _rings(model: nn.Module, names: list[str]) -> Iterator[Fed]:
    """A ring of nodes, with what else a graph layer may ask for."""
    ring = torch.stack([torch.arange(NODES), (torch.arange(NODES) + 1) % NODES])
    ring = torch.cat([ring, ring.flip(0)], 1)
    dense = torch.eye(NODES).index_put((ring[1], ring[0]), torch.ones(2 * NODES))
    edges = ring if names[1] in EDGES else dense
    known = {"batch": torch.zeros(NODES, dtype=torch.long), "edge_weight": torch.ones(2 * NODES)}
    for width in _widths(model):
        inputs = (torch.randn(NODES, width), edges, *(known.get(name) for name in names[2:]))
        yield inputs, [], f"fed with a ring of {NODES} nodes, {width} random features each"


def _geometric(model: nn.Module) -> Iterator[Fed]:
    """The same ring as a torch_geometric Data, if the file has loaded that library."""
    if (library := sys.modules.get("torch_geometric.data")) is not None:
        for (x, edges), labels, what in _rings(model, ["x", "edge_index"]):
            yield (library.Data(x=x, edge_index=edges),), labels, f"{what}, as a Data"


def _together(model: nn.Module, names: list[str]) -> Iterator[Fed]:
    """Inputs for a model that takes several: no mask, a picture for what is named so, else what may be."""
    offers = [[(None, "none")] if _is_mask(name) else list(_offered(model, name)) for name in names]
    for chosen in islice(product(*offers), TRIALS):
        told = "; ".join(f"{name}: {what}" for name, (_, what) in zip(names, chosen, strict=True))
        yield tuple(x for x, _ in chosen), [], f"fed with {told}"


def _offered(model: nn.Module, name: str) -> Iterator[tuple[Tensor, str]]:
    for x, what, _ in _offers(model):
        if x.dim() == 4 or not _is_picture(name):
            yield x, what


def _beside(model: nn.Module, names: list[str], x: Tensor, times: int) -> tuple[Any, ...]:
    """An input, for each name that a text or a shape may stand for; a picture and no mask beside it."""
    if len(names) < 2 or times > 1 or names[1] in EDGES + ADJACENT:
        return times * (x,)
    pictures = [one for one, _, _ in _offers(model) if one.dim() == 4]
    return tuple(
        None if _is_mask(name) else pictures[-1] if _is_picture(name) and pictures and x.dim() != 4 else x
        for name in names
    )


def _is_mask(name: str) -> bool:
    return "mask" in name


def _is_picture(name: str) -> bool:
    return any(word in name for word in ("image", "img", "pixel", "picture"))


def _offers(model: nn.Module) -> Iterator[tuple[Tensor, str, str]]:
    """One input, what it is, and what says otherwise: ids, pictures, vectors."""
    for words in _vocabularies(model)[:1]:
        ids = torch.arange(min(TOKENS, words))[None] % words
        yield ids, f"the ids 0 to {ids.shape[1] - 1}", "--prompt feeds a text"
    for channels, sides in _pictures(model):
        for side in sides:
            picture = torch.rand(1, channels, side, side)
            size = f"{channels} channels, {side} by {side}"
            yield picture, f"a random picture of {size}", "--input gives another shape"
    for width in _widths(model):
        x = torch.randn(1, TOKENS, width)
        yield x, f"{TOKENS} random vectors of width {width}", "--prompt feeds a text, --input a shape"


def _texts(model: nn.Module, module: ModuleType, prompt: str) -> Iterator[Fed]:
    if not prompt:
        raise RegardError("the prompt is empty", "''", "give at least one character")
    own = getattr(module, "encode", None) or getattr(getattr(module, "tokenizer", None), "encode", None)
    if callable(own):
        ids = torch.as_tensor(own(prompt)).flatten().long()
        back = getattr(module, "decode", None) or getattr(getattr(module, "tokenizer", None), "decode", None)
        labels = [_said(back, int(one)) for one in ids] if callable(back) else list(prompt)
        yield (ids[None],), labels, "the text is encoded as the file does it"
        return
    for x, labels, what in _bytes(model, prompt, "the file has no encode(text)"):
        yield (x,), labels, what


def _bytes(model: nn.Module, text: str, why: str) -> Iterator[tuple[Tensor, list[str], str]]:
    """The bytes of a text as ids; where a model takes none, a random vector for each letter."""
    numbers, labels = list(text.encode()), byte_labels(text)
    tables = _vocabularies(model)
    for words in tables:
        note = "the ids are the bytes of the text"
        if words < 256:
            note = f"{note}, modulo the {words} that the model knows"
        yield torch.tensor([numbers]) % words, labels, f"{note}: {why}"
    if not tables:
        width = next(_widths(model), 16)
        table = torch.randn(len(set(text)), width)
        at = {one: number for number, one in enumerate(dict.fromkeys(text))}
        x = torch.stack([table[at[one]] for one in text])[None]
        note = f"the model takes vectors: each character of the text is a random one of width {width}"
        yield x, list(text), note


def byte_labels(text: str) -> list[str]:
    """A label for each byte of a text: its character, and which of its bytes where it has several.

    >>> byte_labels("aд")
    ['a', 'д₁', 'д₂']
    """
    sizes = [(one, len(one.encode())) for one in text]
    return [one if size == 1 else f"{one}{'₁₂₃₄'[byte]}" for one, size in sizes for byte in range(size)]


def _said(decode: Callable[[list[int]], Any], number: int) -> str:
    try:
        return str(decode([number]))
    except Exception:  # a decoder of the person's own may want anything
        return str(number)


def _of_shape(model: nn.Module, shape: list[int]) -> Tensor:
    tables = _vocabularies(model)
    if tables and len(shape) == 2:
        return torch.arange(shape[0] * shape[1]).view(*shape) % tables[0]
    return torch.randn(*shape)


def _vocabularies(model: nn.Module) -> list[int]:
    """How many tokens the model may know, the likeliest first; none where it takes no ids."""
    tables = [one for one in model.modules() if isinstance(one, nn.Embedding)]
    # A table of places may stand before or after that of the tokens, and has rarely more rows.
    sizes = sorted({one.num_embeddings for one in tables}, reverse=True)
    # Models of transformers, and ours, say which it is.
    config = getattr(model, "config", None)
    known = getattr(config, "vocab_size", None) or getattr(config, "vocabulary", None)
    return sorted(sizes, key=lambda size: size != known)


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
