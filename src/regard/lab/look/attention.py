"""`regard.attention(model, text_or_tensor)`: attention maps of any PyTorch model, in a notebook."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from regard.arguments import told
from regard.core.edges import Edges
from regard.core.trace import Look
from regard.core.watch import Watch
from regard.data.tokens.tokenizer import Tokenizer
from regard.errors import RegardError
from regard.lab.documents.attention import attention_document
from regard.lab.documents.embed import embedded
from regard.lab.look.figure import svg
from regard.lab.look.fitting import evaluating, misfit, require_fitting, unpacked
from regard.lab.look.inputs import byte_labels, of_text
from regard.lab.look.maps import AttentionLayer, AttentionMaps
from regard.lab.look.page import fragment, save
from regard.lab.look.terminal import text
from regard.lab.text_model import BROKEN
from regard.lab.train.tokens import OWN, PUBLISHED, VOCABULARY, read_tokenizer
from regard.models.gpt.model import GPT

UNSEEN = (
    "use F.scaled_dot_product_attention, flex_attention, nn.MultiheadAttention, a softmax that is multiplied "
    "with values (@, bmm, einsum, or * and sum), or weights of edges that are multiplied with x[source] and "
    "summed by index_add or scatter_add at the target; scripted models and kernels are not seen"
)

PARTS = 4
"Ids that may make one character: the bytes that UTF-8 has for it, at most."


class Attention(AttentionMaps):
    """What a model looked at: `weights` by layer and head, `labels`; draws itself in a notebook.

    `print` shows it as text, `save("x.svg")` and `save("x.html")` write it, `choose` picks layers and heads.
    """

    def save(self, path: Any) -> None:
        """Write a picture (.svg) or a page (.html)."""
        save(self, path)

    def __str__(self) -> str:
        return text(self)

    def _repr_svg_(self) -> str:
        return svg(self)

    def _repr_html_(self) -> str:
        return embedded("regard-attention", lambda: attention_document(self), fragment(self))


def attention(
    model: Any, *inputs: Any, tokenizer: Any = None, labels: Sequence[str] | None = None, **words: Any
) -> Attention:
    """Attention weights of a model on an input: a text, a tensor, or whatever its forward takes.

    The model may be any nn.Module: it is called as in `model.eval()`, without gradients. A text is encoded by
    the tokenizer (any object with `encode`, a function, or one of transformers'), which a model of a run has,
    and a GPT of `load_gpt2` if it lies in that folder; without one the ids are the bytes of the text, and a
    note says so.

    >>> from regard.models.attention import MultiHead
    >>> seen = attention(MultiHead(width=6, heads=2), torch.randn(1, 5, 6), labels="abcde")
    >>> seen, seen.weights[0].shape
    (Attention(1 layer, 2 heads, 5 labels), torch.Size([1, 2, 5, 5]))
    """
    module = model if isinstance(model, nn.Module) else getattr(model, "model", None)
    if not isinstance(module, nn.Module):
        raise RegardError(
            "attention looks into an nn.Module", told(model), "pass the model, not its class or its name"
        )
    if not inputs and not words:
        raise RegardError("there is nothing to look at", "no input", "pass a text, a tensor, or (x, edges)")
    tokenizer = getattr(model, "tokenizer", None) if tokenizer is None else tokenizer
    trouble: Exception | None = None
    failed = []
    for given, found, notes in _fed(module, inputs, words, tokenizer):
        try:
            layers = look(module, given, words)
        except Exception as error:  # the next input may fit
            trouble = error if trouble is None or isinstance(error, RegardError) else trouble
            failed.append(given)
            continue
        grid, picture = patches(given, layers)
        names = tuple(found if labels is None else labels)
        if names and len(names) > layers[0].matrix().shape[-1] and notes:
            names = names[-layers[0].matrix().shape[-1] :]
        return Attention(layers, names, tuple(notes), grid=grid, picture=picture)
    assert trouble is not None
    if isinstance(trouble, RegardError):
        raise trouble
    require_fitting(module, failed, **words)
    raise misfit(module, failed[0], trouble) from trouble


def _fed(
    module: nn.Module, inputs: tuple[Any, ...], words: dict[str, Any], tokenizer: Any
) -> Iterator[tuple[tuple[Any, ...], Sequence[str], list[str]]]:
    """What the model is called with, to try in turn, the labels of it, and what there is to say."""
    if not inputs or not isinstance(inputs[0], str):
        yield from ((given, (), []) for given in unpacked(module, inputs))
        return
    text, *more = inputs
    tokenizer = _beside_weights(module) if tokenizer is None else tokenizer
    notes: list[str] = []
    if tokenizer is not None or not text:
        ids, labels = encoded(text, tokenizer)
        yield (_short(module, ids, notes), *more), labels, notes
        return
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        offers = list(of_text(module, text))
    for given, labels, note in offers:
        notes = [note]
        x = _short(module, given[0], notes)
        others = more if more or words else [x if one is given[0] else one for one in given[1:]]
        yield (x, *others), labels, notes


def _beside_weights(module: nn.Module) -> Tokenizer | None:
    """The tokenizer in the folder that `load_gpt2` read a model from, where there is one."""
    folder = module.source if isinstance(module, GPT) else None
    kept = folder is not None and any((folder / name).is_file() for name in (VOCABULARY, OWN, PUBLISHED))
    return read_tokenizer(folder) if folder is not None and kept else None


def look(
    module: nn.Module, inputs: Sequence[Any], words: dict[str, Any] | None = None
) -> tuple[AttentionLayer, ...]:
    """The layers that attended in one call of the model, without gradients and as in evaluation."""
    with evaluating(module), torch.no_grad(), Watch(module, batch=batch(inputs)) as seen:
        module(*inputs, **(words or {}))
    calls = [(name, each) for name, looks in seen.looks.items() for each in looks]
    if not calls:
        raise RegardError("no attention was seen in this model", f"{type(module).__name__}", UNSEEN)
    return tuple(_joined(module, seen, calls))


def batch(inputs: Sequence[Any]) -> int:
    """How many samples are fed at once: ids (b n), states (b n c), pictures (b c y x); else one."""
    first = next((x for x in inputs if isinstance(x, Tensor)), None)
    if first is None or any(not isinstance(x, Tensor) or x.dtype is torch.long for x in inputs[1:]):
        return 1
    return len(first) if first.dim() > 2 or (first.dim() == 2 and not first.is_floating_point()) else 1


def encoded(text: str, tokenizer: Any) -> tuple[Tensor, list[str]]:
    """The ids of a text, one row, and a label for each."""
    if not text:
        raise RegardError("the text is empty", "''", "give at least one character")
    if hasattr(tokenizer, "convert_ids_to_tokens"):
        ids = [int(one) for one in tokenizer(text)["input_ids"]]
        return torch.tensor([ids]), [str(one) for one in tokenizer.convert_ids_to_tokens(ids)]
    ids = _ids(text, tokenizer)
    if ids.tolist() == list(text.encode()):
        return ids[None], byte_labels(text)
    if hasattr(tokenizer, "decode"):
        return ids[None], pieces([int(one) for one in ids], tokenizer.decode)
    return ids[None], list(text) if len(text) == len(ids) else [str(int(one)) for one in ids]


def pieces(ids: Sequence[int], decode: Callable[[list[int]], str]) -> list[str]:
    """A label for each id: its text; of several that make one character, that one and which of them it is.

    >>> from regard.data.tokens.tokenizer import Bytes
    >>> pieces(Bytes().encode("aд").tolist(), Bytes().decode)
    ['a', 'д₁', 'д₂']
    """
    labels: list[str] = []
    while len(labels) < len(ids):
        rest = list(ids[len(labels) : len(labels) + PARTS])
        ends = (end for end in range(1, len(rest) + 1) if BROKEN not in decode(rest[:end]))
        size = next(ends, 1)
        label = decode(rest[:size])
        labels += [label] if size == 1 else [f"{label}{'₁₂₃₄'[at]}" for at in range(size)]
    return labels


def _ids(text: str, tokenizer: Any) -> Tensor:
    """What a tokenizer, or a function in its place, makes of a text."""
    encode = getattr(tokenizer, "encode", tokenizer)
    if isinstance(tokenizer, type) or not callable(encode):
        raise RegardError(
            "a text needs a tokenizer",
            told(tokenizer),
            "pass an object with encode(text), or a function from a text to its ids; or the ids as a tensor",
        )
    found = encode(text)
    try:
        ids = torch.as_tensor(getattr(found, "ids", found)).flatten()
    except (TypeError, ValueError, RuntimeError):
        ids = torch.zeros(0)
    if not len(ids) or ids.is_floating_point() or ids.is_complex() or ids.dtype is torch.bool:
        raise RegardError(
            "a tokenizer gives whole numbers, one for each token", told(found), "let it give a list of ids"
        )
    return ids.long()


def patches(
    inputs: Sequence[Any], layers: Sequence[AttentionLayer]
) -> tuple[tuple[int, int] | None, Tensor | None]:
    """Rows and columns of patches, and the picture, where the input is one and the keys cover it."""
    x = inputs[0] if inputs else None
    keys = layers[0].weights.shape[-1]
    if not isinstance(x, Tensor) or x.dim() != 4 or layers[0].edges is not None:
        return None, None
    height, width = x.shape[2:]
    for cells in (keys, keys - 1):  # with a class token before them
        side = height / width
        rows = round((cells * side) ** 0.5)
        if rows and cells % rows == 0 and abs(rows / (cells // rows) - side) < 1e-6:
            return (rows, cells // rows), x[0].detach().cpu()
    return None, None


def _joined(module: nn.Module, seen: Watch, calls: list[tuple[str, Look]]) -> Iterator[AttentionLayer]:
    """The calls as layers: heads that are modules of one list and read the same input are one layer."""
    lists = {name for name, one in module.named_modules() if isinstance(one, nn.ModuleList)}
    pending = list(calls)
    while pending:
        name, first = pending.pop(0)
        parent = name.rpartition(".")[0]
        group = [first]
        while (
            parent in lists
            and first.weights.dim() == 4
            and pending
            and _beside(seen, name, first, *pending[0])
        ):
            group.append(pending.pop(0)[1])
        edges = first.support if isinstance(first.support, Edges) else None
        weights = torch.cat([one.weights.detach().cpu() for one in group], 1)
        title = parent if len(group) > 1 else name
        yield AttentionLayer(title or type(module).__name__, weights, first.backend, edges)


def _beside(seen: Watch, name: str, first: Look, other: str, look: Look) -> bool:
    same = seen.inputs.get(name) is seen.inputs.get(other) and name in seen.inputs
    alike = look.weights.shape == first.weights.shape and first.weights.shape[1] == 1
    return same and alike and other.rpartition(".")[0] == name.rpartition(".")[0] and other != name


def _short(module: nn.Module, ids: Tensor, notes: list[str]) -> Tensor:
    """The last tokens, where the model reads fewer, on its device."""
    ids = ids.to(next((one.device for one in module.parameters()), ids.device))
    context = getattr(getattr(module, "config", None), "context", None)
    if not isinstance(context, int) or ids.shape[1] <= context:
        return ids
    notes.append(f"the text has {ids.shape[1]} tokens; the model sees the last {context} of them")
    return ids[:, -context:]
