"""Triton's interpreter with a fence: a kernel that reads or writes outside its tensors is stopped.

A GPU does so without a word as long as the memory is its own, and the interpreter with any memory at all.
"""

from typing import Any

import numpy
from torch import Tensor
from triton.runtime import interpreter  # pyright: ignore[reportMissingImports]

_spans: list[tuple[int, int]] = []
"Where the tensors of the running kernel begin and end."


def _span(x: Tensor) -> tuple[int, int]:
    """The addresses from the first to the last number of a tensor."""
    last = sum((size - 1) * stride for size, stride in zip(x.shape, x.stride(), strict=True))
    return x.data_ptr(), x.data_ptr() + ((last + 1) * x.element_size() if x.numel() else 0)


def _inside(pointers: numpy.ndarray, mask: numpy.ndarray) -> None:
    """Raise unless all that are used lie in one of the tensors."""
    used = pointers[mask]
    if used.size:
        low, high = int(used.min()), int(used.max())
        assert any(begin <= low and high < end for begin, end in _spans), (
            "memory outside the kernel's tensors"
        )


class _Executor(interpreter.GridExecutor):
    """Notes where the tensors of a kernel lie."""

    def _init_args_hst(self, args_dev: Any, kwargs: Any) -> Any:
        given, named = super()._init_args_hst(args_dev, kwargs)
        _spans[:] = [_span(one) for one in (*given, *named.values()) if isinstance(one, Tensor)]
        return given, named


class _Builder(interpreter.InterpreterBuilder):
    """Looks at every address before it is used."""

    def create_masked_load(self, ptrs: Any, mask: Any, *rest: Any) -> Any:
        _inside(ptrs.data, mask.data)
        return super().create_masked_load(ptrs, mask, *rest)

    def create_masked_store(self, ptrs: Any, value: Any, mask: Any, *rest: Any) -> Any:
        _inside(ptrs.data, mask.data)
        return super().create_masked_store(ptrs, value, mask, *rest)


def put_up() -> None:
    """Put the fence around every kernel that the interpreter runs from now on."""
    interpreter.GridExecutor = _Executor
    interpreter.interpreter_builder.__class__ = _Builder
