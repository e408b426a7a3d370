"""The sabotaged references beside the same mistakes written in torch."""

import math

import numpy as np
import pytest
import torch

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.attention import mistakes as known
from regard.checker.contracts.attention.reference import function

SLUGS = {m.slug: m for m in (*known.SCALE, *known.SOFTMAX, *known.MASK)}


def written(slug: str, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    s, d = q @ k.transpose(-2, -1), q.size(-1)
    hidden = (s / math.sqrt(d)).masked_fill(~mask, float("-inf"))
    return {
        "scale-missing": lambda: s.masked_fill(~mask, float("-inf")).softmax(-1) @ v,
        "scale-multiplied": lambda: (s * math.sqrt(d)).masked_fill(~mask, float("-inf")).softmax(-1) @ v,
        "scale-after-softmax": lambda: s.masked_fill(~mask, float("-inf")).softmax(-1) / math.sqrt(d) @ v,
        "softmax-queries": lambda: hidden.softmax(-2) @ v,
        "softmax-heads": lambda: hidden.softmax(1) @ v,
        "softmax-twice": lambda: hidden.softmax(-1).softmax(-1) @ v,
        "softmax-unnormalised": lambda: hidden.exp() @ v,
        "mask-zero-fill": lambda: (s / math.sqrt(d)).masked_fill(~mask, 0).softmax(-1) @ v,
        "mask-after-softmax": lambda: (s / math.sqrt(d)).softmax(-1).masked_fill(~mask, 0) @ v,
        "mask-added": lambda: (s / math.sqrt(d) + mask).softmax(-1) @ v,
        "mask-weak": lambda: (s / math.sqrt(d)).masked_fill(~mask, -1).softmax(-1) @ v,
    }[slug]()


@pytest.mark.parametrize("slug", ["scale-missing", "scale-multiplied", "scale-after-softmax", "softmax-queries", "softmax-heads", "softmax-twice", "softmax-unnormalised", "mask-zero-fill", "mask-after-softmax", "mask-added", "mask-weak"])  # fmt: skip
def test_a_sabotaged_reference_is_the_mistake_it_is_called(slug: str) -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, 3, n, d)) for n, d in ((7, 8), (5, 8), (5, 9)))
    mask = rng.random((7, 5)) < 0.5
    mask[:, 1] = mask[2] = True
    case = Case(name="", inputs={"query": q, "key": k, "value": v, "mask": mask}, facts={"masked": True})
    found = function(case, WeightMap(weights={}), SLUGS[slug].forms[0])[0]
    wanted = written(slug, *map(torch.from_numpy, (q, k, v, mask)))
    np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-10, atol=1e-12)


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("causal-attention", "multi-head-attention", "scaled-dot-product")
