"""What a model computes in."""

from contextlib import AbstractContextManager, nullcontext

import pytest
import torch

from regard.training.precision import autocast


@pytest.mark.parametrize(
    ("precision", "expected"),
    [("auto", torch.float32), ("float32", torch.float32), ("bfloat16", torch.bfloat16)],
)
def test_on_a_cpu_only_a_wish_makes_it_bfloat16(precision: str, expected: torch.dtype) -> None:
    weight = torch.ones(3, 3)
    with autocast(torch.device("cpu"), precision):
        assert (weight @ weight).dtype == expected


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_on_a_gpu_it_is_bfloat16_by_itself() -> None:
    weight = torch.ones(3, 3, device="cuda")
    with autocast(torch.device("cuda"), "auto"):
        assert (weight @ weight).dtype == torch.bfloat16


@pytest.mark.parametrize(("precision", "able", "half"), [("auto", True, True), ("auto", False, False), ("float32", True, False), ("bfloat16", False, True)])  # fmt: skip
def test_a_gpu_is_asked_for_what_it_has(monkeypatch, precision: str, able: bool, half: bool) -> None:
    """Also where none is: torch is asked in its place."""
    asked = []
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: able)

    def noted(kind: str, dtype: torch.dtype, enabled: bool) -> AbstractContextManager:
        asked.append((kind, dtype, enabled))
        return nullcontext()

    monkeypatch.setattr(torch, "autocast", noted)
    autocast(torch.device("cuda"), precision)
    assert asked == [("cuda", torch.bfloat16, half)]
