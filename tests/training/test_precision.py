"""What a model computes in."""

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
