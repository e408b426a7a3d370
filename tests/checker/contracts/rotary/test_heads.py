"""The width of one head tells its angles, however many heads there are."""

import numpy as np
import pytest

from regard.checker.contracts.rotary.heads import alike
from regard.checker.target import check_file

TURN = """
import torch

class Rotary(torch.nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        width = WIDTH
        speed = 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / DIVIDED)
        self.register_buffer("speed", speed)

    def forward(self, x):
        angle = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] * self.speed[: x.shape[-1] // 2].double()
        a, b = x[..., ::2], x[..., 1::2]
        turned = (a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos())
        return torch.stack(turned, -1).flatten(-2).to(x.dtype)
"""


@pytest.mark.parametrize(
    ("width", "divided", "state", "slugs"),
    [
        ("dim // n_heads", "width", "correct", ()),
        ("dim // n_heads", "dim", "mistake", ("width-of-all-heads",)),
        ("dim // n_heads", "(width + 2 * (n_heads - 1))", "mistake", ()),
        ("dim", "dim", "correct", ()),
    ],
)
def test_a_head_among_others_turns_as_one_alone(
    tmp_path, width: str, divided: str, state: str, slugs: tuple
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(TURN.replace("WIDTH", width).replace("DIVIDED", divided))
    found = check_file(str(path), contract="rotary").verdicts[0]
    assert (found.state, found.slugs) == (state, slugs), found.sentence


def test_what_is_made_already_or_knows_of_no_heads_is_not_asked(puppet) -> None:
    subject = puppet("rotary", {})
    assert alike(subject, np.random.default_rng(0)) is None
