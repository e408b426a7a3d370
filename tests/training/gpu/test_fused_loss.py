"""Head and loss in one equal torch's, in value and gradient, whatever is no target."""

import pytest
import torch

from kernels import DEVICE
from regard.training.gpu import fused_loss


@pytest.mark.slow
@pytest.mark.parametrize("ignored", [0, 3])
def test_loss_and_gradients_are_those_of_torch(ignored: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused_loss, "rows_that_fit", lambda hidden, classes: 3)
    monkeypatch.setattr(fused_loss, "BLOCK", 16)
    torch.manual_seed(0)
    hidden, weight = torch.randn(2, 4, 8, device=DEVICE), torch.randn(37, 8, device=DEVICE)
    leaves = [hidden.requires_grad_(), weight.requires_grad_()]
    targets = torch.randint(37, (2, 4), device=DEVICE)
    targets.view(-1)[:ignored] = -100
    found = fused_loss.loss(*leaves, targets)
    wanted = torch.nn.functional.cross_entropy((hidden @ weight.t()).flatten(0, 1), targets.flatten())
    torch.testing.assert_close(found, wanted)
    sides = [torch.autograd.grad(3 * one, leaves) for one in (found, wanted)]
    torch.testing.assert_close(sides[0], sides[1], rtol=1e-4, atol=1e-5)
