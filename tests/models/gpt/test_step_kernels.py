"""A step by kernels equals the forward pass, token by token."""

import pytest
import torch

from kernels import DEVICE, tiny_gpt
from regard.models.gpt.device_step import DeviceStep, can

KINDS = {
    "as GPT-2": {},
    "shared keys, no gains": {"kv_heads": 1, "gains": False},
    "no biases, no places": {"biases": False, "position": "none"},
    "a head of its own": {"tied": False, "ratio": 3.0},
}


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@torch.inference_mode()
def test_each_step_equals_the_forward_pass(kind: dict, rows: int) -> None:
    own = tiny_gpt(**kind)
    assert can(own, rows)
    ids = torch.randint(21, (rows, 8), generator=torch.Generator().manual_seed(1)).to(DEVICE)
    whole, steps = own(ids), DeviceStep(own, rows)
    for _ in range(2):  # the second time from a cache that was used
        torch.testing.assert_close(steps.read(ids[:, :3]), whole[:, 2], rtol=1e-4, atol=1e-4)
        for place in range(3, 8):
            steps.ids.copy_(ids[:, place])
            steps.advance()
            torch.testing.assert_close(steps.logits, whole[:, place], rtol=1e-4, atol=1e-4)
