"""The checker's own attention beside torch's."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.attention.reference import function, layer, output, picture, softmax


def test_a_function_of_queries_keys_and_values_is_torchs() -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, 3, n, d)) for n, d in ((7, 8), (5, 8), (5, 9)))
    mask = rng.random((7, 5)) < 0.6
    mask[:, 2] = True
    for shown in (False, True):
        case = Case(name="", inputs={"query": q, "key": k, "value": v, "mask": mask}, facts={"masked": shown})
        wanted = F.scaled_dot_product_attention(
            *map(torch.from_numpy, (q, k, v)), attn_mask=torch.from_numpy(mask) if shown else None
        )
        np.testing.assert_allclose(
            function(case, WeightMap(weights={}), {})[0], wanted.numpy(), rtol=1e-12, atol=1e-13
        )


def test_a_layer_is_torchs_multihead_attention() -> None:
    torch.manual_seed(0)
    inner = nn.MultiheadAttention(24, 3, batch_first=True, dtype=torch.float64)
    nn.init.normal_(inner.in_proj_bias)
    nn.init.normal_(inner.out_proj.bias)
    w, b = inner.in_proj_weight.detach().numpy(), inner.in_proj_bias.detach().numpy()
    weights = {f"w{r}": w[i * 24 : i * 24 + 24].T for i, r in enumerate("qkv")} | {
        f"b{r}": b[i * 24 : i * 24 + 24] for i, r in enumerate("qkv")
    }
    weights |= {"wo": inner.out_proj.weight.detach().numpy().T, "bo": inner.out_proj.bias.detach().numpy()}
    x = np.random.default_rng(1).standard_normal((2, 7, 24))
    case = Case(name="", inputs={"query": x, "key": x, "value": x}, facts={"masked": False})
    for causal in (False, True):
        frame = WeightMap(weights=weights, facts={"heads": 3, "causal": causal})
        hidden = torch.triu(torch.ones(7, 7, dtype=torch.bool), 1) if causal else None
        wanted, seen = inner(*[torch.from_numpy(x)] * 3, attn_mask=hidden, average_attn_weights=False)
        np.testing.assert_allclose(output(case, frame, {}), wanted.detach().numpy(), atol=1e-12)
        np.testing.assert_allclose(layer(case, frame, {})[1], seen.detach().numpy(), atol=1e-12)
        np.testing.assert_allclose(picture(case, frame, {}), seen[0, 0].detach().numpy(), atol=1e-12)


def test_a_row_of_minus_infinities_is_not_a_number() -> None:
    assert np.isnan(softmax(np.full((1, 3), -np.inf))).all()


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("causal-attention", "multi-head-attention", "scaled-dot-product")
