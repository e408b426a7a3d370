"""Attention weights of any PyTorch model: `trace`, and what torch's own attention and softmax do besides."""

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch._ops import HigherOrderOperator
from torch.overrides import TorchFunctionMode

from regard.core.call import wide
from regard.core.edges import Edges
from regard.core.messages import Messages
from regard.core.products import PRODUCTS, weights_of
from regard.core.support import Full
from regard.core.trace import Look, Trace
from regard.shapes import Float

COMPILERS = {"torch._dynamo", "torch.nn.attention.flex_attention"}
"Modules that compile, or load what does when they are called."
SOFTMAXES = {torch.softmax, Tensor.softmax, F.softmax, torch.special.softmax}
FUSED = "scaled_dot_product_attention"
FLEX = "flex_attention"
LAYER = "nn.MultiheadAttention"
WRITTEN = "softmax"
MESSAGES = "message passing"
HOW = {
    FUSED: "recomputed from the q, k, mask and scale that the fused kernel was given",
    FLEX: "what the kernel makes of values that are the rows of the identity",
    LAYER: "as torch's own layer gives them",
    WRITTEN: "what was multiplied with the values",
    MESSAGES: "what each message was multiplied with",
}
"Where weights come from that no `attend` made, and what they are."


class Watch(Trace):
    """Records a model that need not be ours: weights of calls by dotted name, as `trace` does.

    It sees `attend`, F.scaled_dot_product_attention, flex_attention, nn.MultiheadAttention, a softmax (or any
    rows that sum to one) that is then multiplied with values, weights of edges whose messages are summed at
    the receiving nodes, sparse matrices of weights, and the messages of torch_geometric's layers.
    """

    def __init__(self, model: nn.Module, *, batch: int = 1) -> None:
        super().__init__(model)
        self.batch = batch
        "How many samples are fed at once: 3-d weights hold batch · heads of them."
        self.inputs: dict[str, Tensor] = {}
        "The first tensor that each module was given."

    def __enter__(self) -> "Watch":
        super().__enter__()
        self._stack = ExitStack()
        for name, module in self.model.named_modules():
            self._handles.append(module.register_forward_pre_hook(self._note(name)))
            for register, hook in _message_hooks(module, self.seen):
                self._handles.append(register(hook))
        # What is compiled must run as it is written, or nothing of it is seen.
        if COMPILERS & sys.modules.keys():  # else nothing is, and loading them takes seconds
            self._stack.enter_context(torch.compiler.set_stance("force_eager"))
        self._stack.enter_context(Interception(self))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        super().__exit__(*error)

    def seen(self, weights: Tensor, backend: str, edges: Edges | None = None) -> None:
        """Note weights that torch's own functions made."""
        if edges is None:
            weights = four(weights, self.batch)
        elif any(
            _same(look, weights, edges)
            for name in dict.fromkeys(self._path)
            for look in self.looks.get(name, [])[-1:]
        ):
            return  # a layer that says its weights, and then sums by them
        self.attention(weights, Full() if edges is None else edges, backend, HOW[backend])

    def _note(self, name: str) -> Callable[..., None]:
        def note(module: nn.Module, given: tuple[Any, ...]) -> None:
            if given and isinstance(given[0], Tensor):
                self.inputs[name] = given[0]

        return note


class Interception(TorchFunctionMode):
    """Stands before every function of torch while it is on; what it sees goes to a watch."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch
        self.messages = Messages(
            lambda weights, edges: watch.seen(weights, MESSAGES, edges),
            lambda weights: watch.seen(weights, WRITTEN),
        )
        self.marked: dict[int, Tensor] = {}
        "Results of a softmax, and what was made of them entry by entry; kept, or another takes their id."

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if self.watch.busy:
            return func(*args, **kwargs)
        if func is F.multi_head_attention_forward:
            return self._layer(args, kwargs)
        multiplies = False
        if func is F.scaled_dot_product_attention:
            self.watch.seen(dot_weights(*args, **kwargs), FUSED)
        elif isinstance(func, HigherOrderOperator) and func.name() == FLEX:
            query, key, _, *rest = args
            ones = torch.eye(key.shape[-2], dtype=key.dtype, device=key.device).expand(*key.shape[:2], -1, -1)
            self.watch.seen(func(query, key, ones, *rest, **kwargs)[0], FLEX)
        elif multiplies := func in PRODUCTS or func in (torch.einsum, torch.baddbmm, Tensor.baddbmm):
            found = weights_of(func, args, self._is_marked)
            if found is not None:
                self.watch.seen(found, WRITTEN)
        result = func(*args, **kwargs)
        with suppress(Exception):  # a call of another shape than those known is not followed
            self.messages.follow(func, args, kwargs, result, self._is_marked)
        if multiplies:
            return result
        if isinstance(result, Tensor) and result.is_floating_point() and self._goes_on(func, args, result):
            self.marked[id(result)] = result
        return result

    def _is_marked(self, x: Tensor) -> bool:
        return id(x) in self.marked

    def _goes_on(self, func: Any, args: tuple[Any, ...], result: Tensor) -> bool:
        """Whether a result is a softmax, or one after dropout, a mask, a view."""
        if func in SOFTMAXES:
            return True
        return any(
            id(x) in self.marked and x.numel() == result.numel() for x in args if isinstance(x, Tensor)
        )

    def _layer(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """nn.MultiheadAttention, asked for the weights of each head whatever its caller wants of them."""
        given = inspect.signature(F.multi_head_attention_forward).bind(*args, **kwargs)
        given.apply_defaults()
        wanted, averaged = given.arguments["need_weights"], given.arguments["average_attn_weights"]
        given.arguments |= {"need_weights": True, "average_attn_weights": False}
        output, weights = F.multi_head_attention_forward(*given.args, **given.kwargs)
        assert weights is not None
        self.watch.seen(weights if weights.dim() == 4 else weights[None], LAYER)
        return output, (weights.mean(-3) if averaged else weights) if wanted else None


def dot_weights(
    query: Tensor,
    key: Tensor,
    value: Tensor | None = None,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Float[Tensor, "*axes n m"]:
    """The weights that F.scaled_dot_product_attention applies and never shows, before dropout.

    >>> q, k, v = torch.randn(3, 1, 2, 5, 4)
    >>> given = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    >>> torch.allclose(dot_weights(q, k, v, is_causal=True) @ v, given, atol=1e-6)
    True
    """
    q, k = wide(query), wide(key)
    if enable_gqa:
        k = k.repeat_interleave(q.shape[-3] // k.shape[-3], -3)
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -torch.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    # A query that sees nothing takes nothing.
    blind = (scores == -torch.inf).all(-1, keepdim=True)
    return scores.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0).to(query.dtype)


def four(weights: Tensor, batch: int) -> Float[Tensor, "b h n m"]:
    """Weights with a batch and heads: three axes hold batch · heads of them, more are samples too.

    >>> four(torch.ones(6, 4, 4), 2).shape, four(torch.ones(4, 4), 1).shape
    (torch.Size([2, 3, 4, 4]), torch.Size([1, 1, 4, 4]))
    """
    if weights.dim() == 2:
        return weights[None, None]
    if weights.dim() == 3:
        return weights.unflatten(0, (batch, -1)) if len(weights) % batch == 0 else weights[None]
    return weights.flatten(0, -4)


def _message_hooks(
    module: nn.Module, seen: Callable[..., None]
) -> Iterator[tuple[Callable[..., Any], Callable[..., None]]]:
    """Hooks on a torch_geometric layer, known by what it offers: weights of edges, its loops among them."""
    if not hasattr(module, "register_propagate_forward_pre_hook"):
        return
    held: dict[str, Any] = {}

    def before(layer: Any, given: tuple[Any, ...]) -> None:
        index, size, words = given
        nodes = next((len(x) for x in _tensors(words.get("x"))), int(index.max()) + 1)
        sizes = (size[1] or nodes, size[0] or nodes) if size else (nodes, nodes)
        held["edges"] = Edges(index[0], index[1], sizes=sizes, duplicates="keep")
        weights = next(
            (words[name] for name in ("alpha", "edge_weight") if _weighs(words.get(name), index)), None
        )
        if weights is not None:
            seen(_by_head(weights), MESSAGES, held["edges"])
            held.clear()

    def after(layer: Any, given: Any, output: Any) -> None:
        weights, edges = getattr(layer, "_alpha", None), held.get("edges")
        if isinstance(weights, Tensor) and edges is not None:
            seen(_by_head(weights), MESSAGES, edges)

    yield module.register_propagate_forward_pre_hook, before  # type: ignore[misc]
    yield module.register_message_forward_hook, after  # type: ignore[misc]


def _same(look: Look, weights: Tensor, edges: Edges) -> bool:
    """Whether a look has these weights, whatever the order of its edges."""
    if not isinstance(look.support, Edges) or look.weights.shape != weights.shape:
        return False
    one, other = (
        w[:, :, (e.target * max(e.sizes) + e.source).argsort(stable=True)]
        for w, e in ((look.weights, look.support), (weights, edges))
    )
    return torch.allclose(one, other)


def _tensors(x: Any) -> list[Tensor]:
    return [one for one in (x if isinstance(x, list | tuple) else [x]) if isinstance(one, Tensor)]


def _weighs(x: Any, index: Tensor) -> bool:
    return isinstance(x, Tensor) and len(x) == index.shape[1]


def _by_head(weights: Tensor) -> Float[Tensor, "1 h e"]:
    return weights.reshape(len(weights), -1).T[None]
