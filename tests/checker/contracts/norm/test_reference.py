"""The checker's own norms beside torch's."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.norm.reference import layer, rms


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


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("layer-norm", "rms-norm")
