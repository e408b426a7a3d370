"""What is not finite is found where it first came up."""

from math import inf, nan

import pytest
import torch
from torch import nn

from regard.training import nonfinite


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1.0, 2.0], ""), ([nan, inf], "nan"), ([-inf, inf], "inf"), ([-inf, 0.0], "-inf"), ([], "")],
)
def test_the_kind(values: list[float], expected: str) -> None:
    assert nonfinite.kind(torch.tensor(values)) == expected


def test_the_first_of_several() -> None:
    named = {"a": torch.ones(2), "b": None, "c": torch.tensor([inf]), "d": torch.tensor([nan])}
    assert nonfinite.first(named) == "'c' holds inf"
    assert nonfinite.first({"a": torch.ones(2)}) == ""


class Sabotage(nn.Module):
    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.index_fill(-1, torch.tensor([0]), self.value)


def chain(*, at: int, value: float) -> nn.Sequential:
    parts = [nn.Linear(3, 3) for _ in range(4)]
    parts[at] = nn.Sequential(nn.Linear(3, 3), Sabotage(value))
    return nn.Sequential(*parts)


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize(("value", "what"), [(nan, "nan"), (inf, "inf")])
def test_the_innermost_first_module_is_blamed(at: int, value: float, what: str) -> None:
    model = chain(at=at, value=value)
    place = nonfinite.blame(model, lambda: model(torch.ones(2, 3)).sum())
    assert place == f"the output of '{at}.1' holds {what}"


def test_a_batch_that_is_not_finite_is_blamed_before_the_model() -> None:
    model = nn.Linear(3, 3)
    assert nonfinite.blame(model, lambda: model(torch.full((2, 3), nan)).sum()) == "the batch holds nan"


def test_an_objective_is_blamed_when_the_model_is_sound() -> None:
    model = nn.Linear(3, 3)
    place = nonfinite.blame(model, lambda: (model(torch.ones(2, 3)) * 0).sum().log() * 0)
    assert place == "the result of the objective holds nan"


def test_a_mask_is_not_blamed_for_what_comes_after_it() -> None:
    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mask, self.mix, self.bad = Sabotage(-inf), nn.Softmax(-1), Sabotage(nan)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.bad(self.mix(self.mask(x)))

    model = Masked()
    assert nonfinite.blame(model, lambda: model(torch.ones(2, 3)).sum()) == "the output of 'bad' holds nan"


def test_what_is_sound_is_not_blamed_and_no_hook_stays() -> None:
    model = chain(at=1, value=0.0)
    assert nonfinite.blame(model, lambda: model(torch.ones(2, 3)).sum()) == ""
    assert not any(one._forward_hooks or one._forward_pre_hooks for one in model.modules())
