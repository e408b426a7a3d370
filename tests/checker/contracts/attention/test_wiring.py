"""Wrong wiring beside the same wiring written in torch."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.attention import wiring
from regard.checker.contracts.attention.reference import output

SLUGS = {m.slug: m for m in (*wiring.SWAPS, *wiring.HEADS)}
RNG = np.random.default_rng(0)
WEIGHTS = {f"w{r}": RNG.standard_normal((12, 12)) for r in "qkvo"} | {
    f"b{r}": RNG.standard_normal(12) for r in "qkvo"
}
FRAME = WeightMap(weights=WEIGHTS, facts={"heads": 3, "causal": True})
X = RNG.standard_normal((2, 5, 12))


def written(slug: str) -> torch.Tensor:
    w = {name: torch.from_numpy(value) for name, value in WEIGHTS.items()}
    x = torch.from_numpy(X)
    if slug == "across-batch":
        x = x.transpose(0, 1)
    b, n, _ = x.shape
    q, k, v = (x @ w[f"w{r}"] + w[f"b{r}"] for r in "qkv")
    k, v = {"k-v-swapped": (v, k), "value-is-key": (k, k), "value-not-projected": (k, x)}.get(slug, (k, v))
    cut = (
        (lambda t: t.reshape(b, 3, n, 4))
        if slug == "heads-split-view"
        else (lambda t: t.reshape(b, n, 3, 4).transpose(1, 2))
    )
    y = F.scaled_dot_product_attention(cut(q), cut(k), cut(v), is_causal=True)
    y = y.reshape(b, n, 12) if slug == "heads-merge-view" else y.transpose(1, 2).reshape(b, n, 12)
    y = (
        y
        if slug == "out-projection-missing"
        else y @ (w["wo"].T if slug == "out-projection-transposed" else w["wo"]) + w["bo"]
    )
    return y.transpose(0, 1) if slug == "across-batch" else y


def test_tiled_key_heads_are_torchs_repeat_and_grouped_ones_its_own_way() -> None:
    rng = np.random.default_rng(1)
    weights = {f"w{r}": rng.standard_normal((12, 6 if r in "kv" else 12)) for r in "qkvo"}
    weights |= {f"b{r}": np.zeros(6 if r in "kv" else 12) for r in "qkvo"}
    frame = WeightMap(weights=weights, facts={"heads": 6, "causal": True})
    w, x = {name: torch.from_numpy(value) for name, value in weights.items()}, torch.from_numpy(X)
    q, k, v = ((x @ w[f"w{r}"]).unflatten(-1, (-1, 2)).transpose(1, 2) for r in "qkv")
    case = Case(name="", inputs={"query": X, "key": X, "value": X})
    tiled = [t.repeat(1, 2, 1, 1) for t in (k, v)]
    for steps, wanted in (
        ({}, F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)),
        (SLUGS["kv-heads-tiled"].forms[0], F.scaled_dot_product_attention(q, *tiled, is_causal=True)),
    ):
        merged = wanted.transpose(1, 2).flatten(2) @ w["wo"]
        np.testing.assert_allclose(output(case, frame, steps), merged.numpy(), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("slug", ["k-v-swapped", "value-is-key", "value-not-projected", "heads-split-view", "heads-merge-view", "out-projection-missing", "out-projection-transposed", "across-batch"])  # fmt: skip
def test_a_sabotaged_reference_is_the_mistake_it_is_called(slug: str) -> None:
    case = Case(name="", inputs={"query": X, "key": X, "value": X})
    np.testing.assert_allclose(
        output(case, FRAME, SLUGS[slug].forms[0]), written(slug).numpy(), rtol=1e-9, atol=1e-11
    )


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("causal-attention", "multi-head-attention", "scaled-dot-product")
