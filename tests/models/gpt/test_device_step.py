"""Which models a step by kernels takes, and when it must be made anew."""

import torch

from kernels import tiny_gpt
from regard.models.gpt.device_step import DeviceStep, can


def test_other_kinds_are_left_to_torch() -> None:
    for words in (
        {"position": "rotary"},
        {"norm": "rms"},
        {"activation": "relu"},
        {"ngram": 1},
        {"qk_norm": True},
    ):
        assert not can(tiny_gpt(**words), 1)
    assert not can(tiny_gpt(), 65)
    assert not can(tiny_gpt().double(), 1)


def test_new_weights_ask_for_a_new_step() -> None:
    own = tiny_gpt()
    steps = DeviceStep(own, 2)
    assert steps.fits(2) and not steps.fits(3)
    own.tokens.weight = torch.nn.Parameter(own.tokens.weight.detach().clone())
    assert not steps.fits(2)
