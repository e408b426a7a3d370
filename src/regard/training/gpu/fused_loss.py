# pyright: reportIndexIssue=false, reportCallIssue=false
# A kernel of Triton is called with its grid in brackets.
"""Cross-entropy over a large vocabulary on a GPU: logits, loss and gradient together, rows at a time.

The logits of some rows are made, and a Triton kernel writes over them the gradient that they get: they are
read twice and written once, and never kept. What a head W and the tokens before it get follows at once.
"""

import torch
import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]
from torch import Tensor

from regard.shapes import Float, Int

SHARE = 1 / 20
"Of the device's memory, what the logits that are there at a time may take."
BLOCK = 4096
"Logits that a program holds at a time."
IGNORED = -100
"No target."


@triton.jit
def _loss(logits, targets, losses, count, V, IGNORE: tl.constexpr, BLOCK: tl.constexpr):
    """One row's loss; its logits are replaced by their gradient, that of the mean over `count` targets."""
    row, j = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    at, target = logits + row * V, tl.load(targets + row)
    most, total = float("-inf"), 0.0
    for start in range(0, V, BLOCK):
        x = tl.load(at + start + j, start + j < V, float("-inf")).to(tl.float32)
        new = tl.maximum(most, tl.max(x, 0))
        total = total * tl.exp(most - new) + tl.sum(tl.exp(x - new), 0)
        most = new
    there = target != IGNORE
    own = tl.load(at + target, there, 0.0).to(tl.float32)
    share = tl.where(there, 1.0, 0.0) / tl.load(count)
    tl.store(losses + row, (tl.log(total) + most - own) * share)
    tl.debug_barrier()
    # Backwards: what was read last is still in the cache.
    for done in range(0, V, BLOCK):
        i = (tl.cdiv(V, BLOCK) - 1) * BLOCK - done + j
        x = tl.load(at + i, i < V, float("-inf")).to(tl.float32)
        change = tl.exp(x - most) * (share / total) - tl.where(i == target, share, 0.0)
        tl.store(at + i, change.to(logits.dtype.element_ty), i < V)


@torch.library.custom_op("regard::linear_cross_entropy", mutates_args=())
def linear_cross_entropy(hidden: Tensor, weight: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Mean of −log p(target), p the softmax of hidden Wᵀ; with its gradients by hidden and by W."""
    head, rows_at_once = weight.to(hidden.dtype), rows_that_fit(hidden, len(weight))
    losses = torch.empty(len(hidden), dtype=torch.float32, device=hidden.device)
    to_hidden, to_weight = torch.empty_like(hidden), None
    count = (targets != IGNORED).sum().clamp(min=1).float()
    for first in range(0, len(hidden), rows_at_once):
        rows = slice(first, first + rows_at_once)
        logits = hidden[rows] @ head.t()
        _loss[(len(logits),)](
            logits,
            targets[rows],
            losses[rows],
            count,
            logits.shape[1],
            IGNORE=IGNORED,
            BLOCK=BLOCK,
            num_warps=8,
        )
        to_hidden[rows] = logits @ head
        part = float32_product(logits.t(), hidden[rows])
        to_weight = part if to_weight is None else to_weight.add_(part)
    assert to_weight is not None, "a batch has a token"
    return losses.sum(), to_hidden, to_weight.to(weight.dtype)


def float32_product(a: Tensor, b: Tensor) -> Tensor:
    """a b, whose sums are not rounded to the type of a and b."""
    return torch.mm(a, b, out_dtype=torch.float32) if a.is_cuda and a.dtype != torch.float32 else a @ b


def rows_that_fit(hidden: Tensor, classes: int) -> int:
    """How many rows have their logits at a time: their products are quicker together."""
    if not hidden.is_cuda:
        return len(hidden)
    memory = torch.cuda.get_device_properties(hidden.device).total_memory
    return max(1024, int(SHARE * memory / (classes * hidden.element_size())))


@linear_cross_entropy.register_fake
def _(hidden: Tensor, weight: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return (
        hidden.new_empty((), dtype=torch.float32),
        torch.empty_like(hidden),
        torch.empty_like(weight),
    )


def _keep(ctx, inputs, output) -> None:
    ctx.save_for_backward(*output[1:])
    ctx.set_materialize_grads(False)


def _backward(ctx, slope: Tensor, *_: object) -> tuple[Tensor, Tensor, None]:
    to_hidden, to_weight = ctx.saved_tensors
    return to_hidden * slope.to(to_hidden.dtype), to_weight * slope, None


linear_cross_entropy.register_autograd(_backward, setup_context=_keep)


def loss(
    hidden: Float[Tensor, "b n c"], weight: Float[Tensor, "k c"], targets: Int[Tensor, "b n"]
) -> Float[Tensor, ""]:
    """The mean loss of tokens before a head."""
    return linear_cross_entropy(hidden.flatten(0, -2).contiguous(), weight, targets.flatten())[0]
