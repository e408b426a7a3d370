# pyright: reportIndexIssue=false, reportArgumentType=false, reportCallIssue=false
# A kernel of Triton is called with its grid in brackets.
"""Decoding step on a GPU: kernels over room that stays where it is, so that a CUDA graph can hold them.

The tokens, how many were read, and the logits lie on the GPU and are written in place: nothing is copied to
the host between two tokens. The forward pass is the oracle.
"""

from typing import Any

import torch
import torch.nn.functional as F
import triton  # pyright: ignore[reportMissingImports]
from torch import Tensor, nn

from regard.models.gpt import step_kernels as kernels
from regard.models.gpt.cache import Cache, KVCache
from regard.shapes import Float, Int

BLOCKS = {1024: (4, 8), 4096: (4, 2), 1 << 62: (16, 4)}
"Outputs of a product that one program makes, and its warps, by how many there are in all."
LOOK = 256
"Keys that a query meets at once; half as many where there are several rows."
MOST = 64
"Rows beyond which torch's own products are faster."


def can(model: Any, rows: int) -> bool:
    """Whether the kernels know this kind of model, and so many rows."""
    config, weight = model.config, model.tokens.weight
    return (
        config.attention == "softmax"
        and config.position in ("none", "learned")
        and config.norm == "layer"
        and config.activation == "gelu"
        and config.layers == 1
        and not config.qk_norm
        and not config.ngram
        and config.head_width <= 128
        and config.width <= 2048
        and 0 < rows <= MOST
        and weight.dtype in (torch.float32, torch.bfloat16, torch.float16)
        and all(one.is_contiguous() and one.dtype == weight.dtype for one in model.parameters())
    )


class DeviceStep:
    """The layers of a model, a cache of its own, and room for one token of each row.

    `read` takes a prompt; then `advance` reads `ids`, which lie on the GPU, and fills `logits`.
    """

    def __init__(self, model: Any, rows: int) -> None:
        config, weight = model.config, model.tokens.weight
        self.model, self.rows = model, rows
        # Hopper and later can start a kernel before the one in front of it has ended.
        self.early = rows == 1 and weight.is_cuda and torch.cuda.get_device_capability(weight.device)[0] >= 9
        self.cache: Cache = model.cache()
        for past in self.cache.layers:
            assert isinstance(past, KVCache)
            past.make_room(1, weight.new_empty(rows, config.kv_count, 1, config.head_width))
        made = {"device": weight.device}
        self.ids: Int[Tensor, " b"] = torch.zeros(rows, dtype=torch.long, **made)
        self.length: Int[Tensor, ""] = torch.zeros((), dtype=torch.long, **made)
        # Rows of a length that suits a GPU's matrix products, of which the vocabulary may be a part.
        kind = torch.float32 if rows == 1 else weight.dtype
        self.logits: Float[Tensor, "b k"] = torch.zeros(
            rows, -(-config.vocabulary // 64) * 64, dtype=kind, **made
        )[:, : config.vocabulary]
        self.x = torch.zeros(rows, config.width, **made)
        self.mixed = weight.new_zeros(rows, (config.heads + 2 * config.kv_count) * config.head_width)
        self.found, self.normed = (weight.new_zeros(rows, config.width) for _ in range(2))
        self.hidden = weight.new_zeros(rows, config.hidden)
        self.lies_at = [one.data_ptr() for one in model.parameters()]

    def fits(self, rows: int) -> bool:
        """Whether it is still bound to the model's weights, and made for so many rows."""
        return rows == self.rows and self.lies_at == [one.data_ptr() for one in self.model.parameters()]

    def read(self, ids: Int[Tensor, "b n"]) -> Float[Tensor, "b k"]:
        """Take a prompt from its beginning; the logits after it."""
        self.cache.crop(0)
        logits = self.model.next(ids, self.cache)
        self.length.fill_(ids.shape[1])
        self.logits.copy_(logits)
        return self.logits

    def advance(self) -> None:
        """The tokens in `ids` are read, and what is expected after them is in `logits`."""
        model, config = self.model, self.model.config
        placed = model.positions is not None
        kernels.embed[(self.rows,)](
            self.ids, model.tokens.weight, model.positions.weight if placed else self.x, self.length, self.x,
            W=config.width, BW=triton.next_power_of_2(config.width), PLACED=placed,
        )  # fmt: skip
        if self.rows == 1:
            self._one()
        else:
            self._several()
        self.length += 1

    def _one(self) -> None:
        """A single row: the weights are all there is to read, and norms are made where they are needed."""
        for block, past in zip(self.model.blocks, self.cache.layers, strict=True):
            self._line(self.x, block.attention_norm, block.attention.mix, self.mixed)
            self._look(past)
            self._line(self.found, None, block.attention.out, self.x, "add")
            self._line(self.x, block.mlp_norm, block.mlp.up[0], self.hidden, "gelu")
            self._line(self.hidden, None, block.mlp.out, self.x, "add")
        self._product(self.x, self.model.norm, self.model.output, None, self.logits)

    def _several(self) -> None:
        """Several rows: products by torch's library, and between them one kernel for sum and norm."""
        added = None
        for block, past in zip(self.model.blocks, self.cache.layers, strict=True):
            self._norm(added, block.attention_norm)
            mix, out, up, down = block.attention.mix, block.attention.out, block.mlp.up[0], block.mlp.out
            torch.mm(self.normed, mix.weight.t(), out=self.mixed) if mix.bias is None else torch.addmm(
                mix.bias, self.normed, mix.weight.t(), out=self.mixed
            )
            self._look(past)
            self._norm(F.linear(self.found, out.weight, out.bias), block.mlp_norm)
            added = F.linear(self._raised(up), down.weight, down.bias)
        self._norm(added, self.model.norm)
        weight = self.model.output
        even = len(weight) // 8 * 8
        for part in (slice(even), slice(even, len(weight))):
            if len(weight[part]):
                torch.mm(self.normed, weight[part].t(), out=self.logits[:, part])

    def _raised(self, up: Any) -> Tensor:
        """The MLP's hidden layer."""
        if up.bias is None or not self.normed.is_cuda:  # on a CPU torch fuses another gelu
            return F.gelu(F.linear(self.normed, up.weight, up.bias), approximate="tanh")
        return torch._addmm_activation(  # pyright: ignore[reportPrivateImportUsage]
            up.bias, self.normed, up.weight.t(), use_gelu=True
        )

    def _norm(self, added: Tensor | None, norm: Any) -> None:
        """Add to x, and leave its norm in `normed`."""
        gain, shift = norm.weight, norm.bias
        kernels.add_norm[(self.rows,)](
            self.x, *(self.x if one is None else one for one in (added, gain, shift)), self.normed, norm.eps,
            W=self.x.shape[1], BW=triton.next_power_of_2(self.x.shape[1]), ADD=added is not None,
            GAIN=gain is not None, SHIFT=shift is not None,
        )  # fmt: skip

    def _look(self, past: Any) -> None:
        config, both = self.model.config, past.both
        kernels.look[(config.heads, self.rows)](
            self.mixed, both, self.length, self.found, both.shape[3], both.stride(0), config.head_width**-0.5,
            H=config.heads, G=config.kv_count, D=config.head_width, BM=LOOK if self.rows == 1 else LOOK // 2,
            BD=triton.next_power_of_2(config.head_width), EARLY=self.early, num_warps=8, **self._start(),
        )  # fmt: skip

    def _line(self, x: Tensor, norm: Any, layer: nn.Linear, out: Tensor, kind: str = "") -> None:
        self._product(x, norm, layer.weight, layer.bias, out, kind)

    def _product(
        self, x: Tensor, norm: Any, weight: Tensor, bias: Tensor | None, out: Tensor, kind: str = ""
    ) -> None:
        outputs, inputs = weight.shape
        gain, shift = (None, None) if norm is None else (norm.weight, norm.bias)
        block, warps = next(shape for most, shape in BLOCKS.items() if outputs <= most)
        kernels.one_row[(triton.cdiv(outputs, block),)](
            x, *(x if one is None else one for one in (gain, shift)), weight,
            x if bias is None else bias, out,
            0.0 if norm is None else norm.eps, K=inputs, OUT=outputs, BO=block,
            BK=min(triton.next_power_of_2(inputs), 2048 if norm is not None else 1024),
            NORM=norm is not None, GAIN=gain is not None, SHIFT=shift is not None, BIAS=bias is not None,
            KIND=kind, EARLY=self.early, num_warps=warps, **self._start(),
        )  # fmt: skip

    def _start(self) -> dict[str, bool]:
        return {"launch_pdl": True} if self.early else {}
