"""The checker's own norms beside torch's."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.norm.reference import LAYER, RMS, layer, rms


@pytest.mark.parametrize("size", [1e-6, 3e-3, 1.0])
def test_norms_are_torchs(size: float) -> None:
    rng = np.random.default_rng(0)
    x, gain, bias = (
        size * (rng.standard_normal((2, 5, 24)) + 0.5),
        rng.standard_normal(24),
        rng.standard_normal(24),
    )
    case, given = Case(name="", inputs={"x": x}), (torch.from_numpy(x), (24,), torch.from_numpy(gain))
    frame = WeightMap(weights={"gain": gain, "bias": bias}, facts={"eps": 1e-5})
    wanted = F.layer_norm(*given, torch.from_numpy(bias), 1e-5)
    np.testing.assert_allclose(layer(case, frame, {}), wanted.numpy(), rtol=1e-10, atol=1e-14)
    frame = WeightMap(weights={"gain": gain, "bias": np.zeros(24)}, facts={"eps": 1e-5})
    np.testing.assert_allclose(rms(case, frame, {}), F.rms_norm(*given, 1e-5).numpy(), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("count", [2, 3])
def test_groups_of_channels_are_torchs_group_norm(count: int) -> None:
    rng = np.random.default_rng(0)
    x, gain, bias = rng.standard_normal((2, 5, 24)) + 0.5, *rng.standard_normal((2, 24))
    case, frame = (
        Case(name="", inputs={"x": x}),
        WeightMap(weights={"gain": gain, "bias": bias}, facts={"eps": 1e-5}),
    )
    steps = {slug: dict(found) for slug, _, found in LAYER.others}
    given = torch.from_numpy(x).reshape(10, 24), count, torch.from_numpy(gain), torch.from_numpy(bias), 1e-5
    wanted = F.group_norm(*given).numpy().reshape(x.shape)
    np.testing.assert_allclose(layer(case, frame, steps[f"groups-of-channels-{count}"]), wanted, rtol=1e-10)
    ours = rms(
        case, frame, {slug: dict(found) for slug, _, found in RMS.others}[f"groups-of-channels-{count}"]
    )
    parts = x.reshape(2, 5, count, -1)
    parts = parts / np.sqrt((parts**2).mean(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(ours, parts.reshape(x.shape) * gain + bias, rtol=1e-10)


def test_a_bias_that_is_divided_by_hand() -> None:
    x = np.array([[[1.0, 3.0]]])
    frame = WeightMap(
        weights={"gain": np.array([2.0, 2.0]), "bias": np.array([4.0, 0.0])}, facts={"eps": 0.0}
    )
    steps = next(dict(found) for slug, _, found in LAYER.others if slug == "bias-divided")
    x *= 5.0
    # Without its mean it is (-5, 5); times the gain (-10, 10), with the bias (-6, 10), over the deviation 5.
    assert layer(Case(name="", inputs={"x": x}), frame, steps).ravel().tolist() == [-1.2, 2.0]


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("layer-norm", "rms-norm")
