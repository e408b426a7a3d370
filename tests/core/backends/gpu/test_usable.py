"""Kernels are asked of a GPU alone."""

import pytest
import torch

from regard.core.backends.gpu.usable import installed, usable


def test_a_cpu_is_left_as_it_is() -> None:
    assert not usable(torch.zeros(1, device="cpu"))


class OnGPU(torch.Tensor):
    """A tensor that says it lies on a GPU."""

    device = torch.device("cuda")


def test_a_gpu_is_asked_unless_it_is_told_not_to_or_something_is_missing(monkeypatch) -> None:
    x = torch.zeros(1).as_subclass(OnGPU)
    monkeypatch.setattr(torch.version, "cuda", "12.8")
    monkeypatch.setattr("regard.core.backends.gpu.usable.installed", lambda: True)
    monkeypatch.delenv("REGARD_TRITON", raising=False)
    assert usable(x)
    monkeypatch.setenv("REGARD_TRITON", "1")
    assert usable(x)
    monkeypatch.setenv("REGARD_TRITON", "0")
    assert not usable(x)
    monkeypatch.setenv("REGARD_TRITON", "1")
    monkeypatch.setattr("regard.core.backends.gpu.usable.installed", lambda: False)
    assert not usable(x)
    monkeypatch.setattr("regard.core.backends.gpu.usable.installed", lambda: True)
    monkeypatch.setattr(torch.version, "cuda", None)
    assert not usable(x)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_a_gpu_uses_them_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.zeros(1, device="cuda")
    assert usable(x) == installed()
    monkeypatch.setenv("REGARD_TRITON", "0")
    assert not usable(x)
