"""The compiled step is the step through torch, and is left alone where it does not know the model."""

from dataclasses import replace

import pytest
import torch

from regard.models.gpt import native
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT

SMALL = GPTConfig(vocabulary=13, context=37, depth=2, heads=3, width=24, init_std=0.3)
pytestmark = pytest.mark.skipif(native.missing() is not None, reason=f"no compiled step: {native.missing()}")


def made(**change) -> GPT:
    torch.manual_seed(1)
    model = GPT(replace(SMALL, **change)).eval()
    for name, parameter in model.named_parameters():
        torch.nn.init.normal_(parameter, mean=float("norm.weight" in name), std=0.3)
    return model


def steps(model: GPT, ids: torch.Tensor, **words) -> tuple[torch.Tensor, bool]:
    """The logits after each token from the fifth on, and whether the compiled step was taken."""
    cache = model.cache(**words)
    found = [model.next(ids[:, :5], cache)] + [
        model.next(ids[:, n : n + 1], cache) for n in range(5, ids.shape[1])
    ]
    return torch.stack(found, 1), cache.decoder.native is not None


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 3, 4, 5, 9])
@pytest.mark.parametrize(
    "change",
    [
        {}, {"biases": False}, {"gains": False}, {"position": "none", "tied": False},
        {"width": 32, "heads": 2}, {"width": 64, "heads": 2}, {"width": 36, "heads": 2},
    ],
)  # fmt: skip
def test_the_compiled_step_is_the_forward_pass(change, rows: int) -> None:
    model, ids = made(**change), torch.randint(13, (rows, 37), generator=torch.Generator().manual_seed(2))
    found, compiled = steps(model, ids)
    assert compiled
    torch.testing.assert_close(found, model(ids)[:, 4:].detach(), atol=2e-4, rtol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing_but_roundings(threads: int) -> None:
    model, ids = made(), torch.randint(13, (7, 20), generator=torch.Generator().manual_seed(2))
    expected, before = steps(model, ids)[0], torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        torch.testing.assert_close(steps(model, ids)[0], expected, atol=1e-4, rtol=1e-4)
    finally:
        torch.set_num_threads(before)


def test_a_window_moves_under_the_compiled_step() -> None:
    model, ids = made(position="none", context=7), torch.randint(13, (2, 60))
    found, compiled = steps(model, ids, beyond="window")
    expected, other = steps(model.double(), ids, beyond="window")
    assert compiled and not other
    torch.testing.assert_close(found.double(), expected, atol=2e-4, rtol=1e-4)


def test_rows_with_pads_in_sight_take_the_other_way() -> None:
    model, ids = made(), torch.randint(13, (2, 20))
    found, _ = steps(model, ids, pads=torch.tensor([3, 0]))
    torch.testing.assert_close(found[0], model(ids[:1, 3:])[0, 1:].detach(), atol=2e-4, rtol=1e-4)


@pytest.mark.parametrize(
    "change",
    [
        {"position": "rotary"}, {"norm": "rms"}, {"activation": "relu"}, {"layers": 2}, {"kv_heads": 1},
        {"qk_norm": True}, {"attention": "linear"},
    ],
)  # fmt: skip
def test_other_models_go_through_torch(change) -> None:
    model, ids = made(**change), torch.randint(13, (2, 9))
    found, compiled = steps(model, ids)
    assert not compiled
    torch.testing.assert_close(found, model(ids)[:, 4:].detach(), atol=2e-4, rtol=1e-4)


def test_it_can_be_turned_off(monkeypatch) -> None:
    monkeypatch.setenv("REGARD_NATIVE", "0")
    assert native.missing() == "REGARD_NATIVE=0"
    assert not steps(made(), torch.randint(13, (1, 7)))[1]


def test_without_a_compiler_it_says_why(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("CXX", str(tmp_path / "none"))
    assert "no working C++ compiler" in str(native.missing())


def test_a_step_over_stale_keys_is_caught(monkeypatch) -> None:
    step = native.Blocks.step
    monkeypatch.setattr(native.Blocks, "step", lambda self, x, first, end: step(self, x, first + 1, end))
    model, ids = made(), torch.randint(13, (1, 20))
    assert (steps(model, ids)[0] - model(ids)[:, 4:]).abs().max() > 1e-2
