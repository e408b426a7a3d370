"""What a model of one's own is fed: a text, an example of its file, or what its first layers take."""

import inspect
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from regard.errors import RegardError

TOKENS, NODES = 12, 8
SIDES = (224, 32, 28, 64, 96, 128, 16)
"Heights of pictures that are tried, where a model does not keep its own."
EDGES = ("edge_index", "edges", "edge", "graph", "edge_list", "ei")
ENDS = (("src", "dst"), ("source", "target"), ("row", "col"), ("senders", "receivers"))
"How edges are named whose two ends are given apart."
DECODED = "decoder_input_ids"
TRIALS = 64
"Combinations of inputs that are tried of a model that takes several."
ADJACENT = ("adj", "adjacency", "adj_mat", "a", "adjacency_matrix")
Fed = tuple[tuple[Any, ...], list[str], str]
"Inputs, their labels, and a sentence that says what they are."


def fed(model: nn.Module, module: ModuleType, prompt: str | None, shape: list[int] | None) -> Iterator[Fed]:
    """Inputs to try, the likeliest first."""
    torch.manual_seed(0)
    names = names_of(model)
    times = _times(names)
    if prompt is not None:
        for (x,), labels, what in _texts(model, module, prompt):
            yield _beside(model, names, x, times), labels, what
        return
    if shape is not None and len(shape) == 2 and min(shape) and _is_graph(names):
        yield from _rings(model, names, nodes=shape[0], widths=shape[1:])
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
    if _is_graph(names):
        yield from _rings(model, names)
    elif len(names) > 1 and times == 1:
        yield from _together(model, names)
    else:
        for x, what, other in _offers(model):
            yield times * (x,), [], f"fed with {what}; {other}"
        yield from _geometric(model)


def of_text(model: nn.Module, text: str) -> Iterator[Fed]:
    """A text for a model without a tokenizer, to try in turn: its bytes, or a vector for each letter."""
    names = names_of(model)
    for x, labels, what in _bytes(model, text, "the model has no tokenizer; tokenizer=… gives it one"):
        yield _beside(model, names, x, _times(names)), labels, what


def _times(names: list[str]) -> int:
    """How often a model is given the same: thrice where a layer asks for queries, keys and values."""
    return 3 if len(names) == 3 and names[0].startswith("q") else 1


def names_of(model: nn.Module) -> list[str]:
    """What a call must give, in lower case; encoder-decoders of transformers require nothing by name."""
    taken = inspect.signature(model.forward).parameters
    if DECODED in taken:
        return list(taken)[: list(taken).index(DECODED) + 1]
    starred = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = (p for p in taken.values() if p.default is p.empty or p.name.lower() in EDGES)
    return [p.name.lower() for p in needed if p.kind not in starred]


def _is_graph(names: list[str]) -> bool:
    return len(names) > 1 and (names[1] in EDGES + ADJACENT or tuple(names[1:3]) in ENDS)


def _rings(
    model: nn.Module, names: list[str], *, nodes: int = NODES, widths: Iterable[int] | None = None
) -> Iterator[Fed]:
    """A ring of nodes, with what else a graph layer may ask for."""
    ring = torch.stack([torch.arange(nodes), (torch.arange(nodes) + 1) % nodes])
    ring = torch.cat([ring, ring.flip(0)], 1)
    dense = torch.eye(nodes).index_put((ring[1], ring[0]), torch.ones(2 * nodes))
    known: dict[str, Any] = {**dict.fromkeys(EDGES, ring), **dict.fromkeys(ADJACENT, dense)}
    known |= {"batch": torch.zeros(nodes, dtype=torch.long), "edge_weight": torch.ones(2 * nodes)}
    known |= {"num_nodes": nodes} | {name: ring[end] for pair in ENDS for end, name in enumerate(pair)}
    for width in _widths(model) if widths is None else widths:
        inputs = (torch.randn(nodes, width), *(known.get(name) for name in names[1:]))
        yield inputs, [], f"fed with a ring of {nodes} nodes, {width} random features each"


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
    if len(names) < 2 or times > 1 or _is_graph(names):
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
    for channels, side in _cut_by_hand(model):
        size = f"{channels} channels, {side} by {side}"
        yield (
            torch.rand(1, channels, side, side),
            f"a random picture of {size}",
            "--input gives another shape",
        )


def _texts(model: nn.Module, module: ModuleType, prompt: str) -> Iterator[Fed]:
    if not prompt:
        raise RegardError("the prompt is empty", "''", "give at least one character")
    own = getattr(module, "encode", None) or getattr(getattr(module, "tokenizer", None), "encode", None)
    if callable(own):
        ids = torch.as_tensor(own(prompt)).flatten().long()
        back = getattr(module, "decode", None) or getattr(getattr(module, "tokenizer", None), "decode", None)
        labels = [_said(back, int(one)) for one in ids] if callable(back) else list(prompt)
        if ids.tolist() == list(prompt.encode()):
            labels = byte_labels(prompt)
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


def _cut_by_hand(model: nn.Module) -> Iterator[tuple[int, int]]:
    """Channels and side of pictures whose patches are rows: a width c p p, and places for g g of them."""
    places = [p.shape[1] for p in model.parameters() if p.dim() == 3]
    for width, channels, count in product(_widths(model), (3, 1), places):
        patch, across = math.isqrt(width // channels), math.isqrt(count)
        if channels * patch**2 == width and across > 1 and count - across**2 in (0, 1):
            yield channels, across * patch


def _widths(model: nn.Module) -> Iterator[int]:
    """Widths that a first layer takes, each once; those of tables that modules multiply with come last."""
    found = [_width(one) for one in model.modules()]
    for one in model.modules():
        if isinstance(one, nn.Embedding) or _width(one) is not None:
            continue
        own = [p for p in one.parameters(recurse=False) if p.dim() == 2]
        found += [p.shape[side] for p in own for side in (0, 1)]
    yield from dict.fromkeys(width for width in found if isinstance(width, int) and 0 < width < 10**5)


def _width(one: nn.Module) -> Any:
    names = ("embed_dim", "in_features", "in_channels", "input_size")
    width = next((found for name in names if (found := getattr(one, name, None))), None)
    return one.normalized_shape[-1] if isinstance(one, nn.LayerNorm | nn.RMSNorm) else width
