"""Triton on this machine: its GPU, or else Triton's interpreter on the CPU; where it is missing, tests skip.

A test file of kernels imports this before them: the interpreter is chosen when a kernel is made.
"""

import os

import pytest
import torch

from regard import GPT, GPTConfig

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip(
    "triton", reason="Triton is not installed here: kernels run on a GPU or in its interpreter"
)
if DEVICE == "cpu":
    import fence

    fence.put_up()


def tiny_gpt(**words: object) -> GPT:
    """A GPT of two layers whose every weight matters."""
    torch.manual_seed(0)
    made = GPT(GPTConfig(vocabulary=21, context=16, depth=2, heads=2, width=24, **words)).eval()
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return made.to(DEVICE)
