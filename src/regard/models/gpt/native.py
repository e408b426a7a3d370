"""A decoding step of GPT-2 in C++: compiled once by the system's compiler, kept in its cache.

REGARD_NATIVE=0 in the environment turns it off. Models of another kind, and machines without a compiler, take
the way of `decoder` through torch, which computes the same.
"""

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.core.backends.edges.native import Unavailable, build, compiler, folder
from regard.models.gpt.cache import Cache, KVCache
from regard.shapes import Float

SOURCE = Path(__file__).with_name("step.cpp")
WORTH = 8
"Rows from which a second thread saves more than it costs."


class _Sizes(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_int64)
        for name in ("batch", "depth", "heads", "width", "hidden", "room", "first", "end")
    ]


class _Block(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_void_p)
        for name in (
            *("norm1", "shift1", "mix", "mixed", "out", "added"),
            *("norm2", "shift2", "up", "raised", "down", "lowered", "both"),
        )
    ]


def missing() -> str | None:
    """Why the compiled step cannot be used here, or None where it can."""
    if os.environ.get("REGARD_NATIVE") == "0":
        return "REGARD_NATIVE=0"
    loaded = _library(compiler(), folder())
    return loaded if isinstance(loaded, str) else None


@cache
def _library(command: str, kept: Path) -> ctypes.CDLL | str:
    try:
        return ctypes.CDLL(str(build(command, kept, SOURCE)))
    except (Unavailable, OSError) as error:
        return str(error)


def can(model: Any, cache: Cache) -> bool:
    """Whether the compiled step knows this kind of model, and lies ready."""
    config, weight = model.config, model.tokens.weight
    return (
        config.attention == "softmax"
        and config.position in ("none", "learned")
        and config.norm == "layer"
        and config.activation == "gelu"
        and config.layers == 1
        and config.kv_count == config.heads
        and not config.qk_norm
        and weight.dtype is torch.float32
        and weight.device.type == "cpu"
        and all(parameter.is_contiguous() for parameter in model.parameters())
        and all(isinstance(past, KVCache) and past.both is not None for past in cache.layers)
        and missing() is None
    )


class Blocks:
    """The blocks of a model, bound to the room of a cache."""

    def __init__(self, model: Any, cache: Cache, rows: int) -> None:
        config = model.config
        library = _library(compiler(), folder())
        assert not isinstance(library, str)
        self.call = library.regard_step
        self.kept: list[Tensor | None] = []  # what the pointers point to must not go away before them
        self.blocks = (_Block * config.depth)(
            *(
                _Block(*self._pointers(block, past))
                for block, past in zip(model.blocks, cache.layers, strict=True)
            )
        )
        rooms = [past.both for past in cache.layers if isinstance(past, KVCache) and past.both is not None]
        self.sizes = _Sizes(
            rows, config.depth, config.heads, config.width, config.hidden, rooms[0].shape[3], 0, 0
        )
        self.threads = torch.get_num_threads() if rows >= WORTH else 1
        between = rows * (5 * config.width + config.hidden) + self.threads * rooms[0].shape[3]
        self.room = torch.empty(between)

    def _pointers(self, block: Any, past: Any) -> list[int | None]:
        attention, mlp = block.attention, block.mlp
        parts = [
            *(block.attention_norm.weight, block.attention_norm.bias),
            *(attention.mix.weight, attention.mix.bias, attention.out.weight, attention.out.bias),
            *(block.mlp_norm.weight, block.mlp_norm.bias),
            *(mlp.up[0].weight, mlp.up[0].bias, mlp.out.weight, mlp.out.bias, past.both),
        ]
        self.kept += [None if part is None else part.detach() for part in parts]
        return [None if part is None else part.data_ptr() for part in parts]

    def step(self, x: Float[Tensor, "b c"], first: int, end: int) -> Float[Tensor, "b c"]:
        """The tokens after the last block, written over x; their keys and values lie at `end - 1`."""
        assert x.is_contiguous()
        self.sizes.first, self.sizes.end = first, end
        pointers = ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(self.room.data_ptr())
        self.call(ctypes.byref(self.sizes), self.blocks, *pointers, ctypes.c_int(self.threads))
        return x
