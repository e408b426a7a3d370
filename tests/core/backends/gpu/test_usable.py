"""Kernels are asked of a GPU alone."""

import pytest
import torch

from regard.core.backends.gpu.usable import installed, usable


def test_a_cpu_is_left_as_it_is() -> None:
    assert not usable(torch.zeros(1, device="cpu"))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_a_gpu_uses_them_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.zeros(1, device="cuda")
    assert usable(x) == installed()
    monkeypatch.setenv("REGARD_TRITON", "0")
    assert not usable(x)
