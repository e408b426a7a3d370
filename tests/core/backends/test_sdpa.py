"""The fused backend: what it hands to torch, and what it refuses."""

import pytest
import torch
import torch.nn.functional as F

from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.mask import Mask
from regard.core.normalise import Mean
from regard.core.position import Alibi
from regard.core.similarity import Constant, Dot
from regard.core.support import Causal, Full
from regard.errors import RegardError

X = torch.linspace(-1, 1, 2 * 2 * 5 * 3).view(2, 2, 5, 3)


@pytest.fixture
def handed(monkeypatch):
    """What torch's function is called with."""
    calls, true = [], F.scaled_dot_product_attention

    def spy(q, k, v, mask=None, dropout=0.0, causal=False, **options):
        calls.append({"attn_mask": mask, "is_causal": causal, "enable_gqa": False, **options})
        return true(q, k, v, mask, dropout, causal, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", spy)
    return calls


def test_full_and_causal_need_no_mask(handed):
    attend(X, X, X, support=Full())
    attend(X, X, X, support=Causal())
    attend(X[:, :, -1:], X, X, support=Causal())
    assert [(call["attn_mask"], call["is_causal"]) for call in handed] == [
        (None, False),
        (None, True),
        (None, False),
    ]


def test_an_offset_is_never_left_to_torchs_own_mask(handed):
    attend(X, X, X, support=Causal(2))
    attend(X[:, :, 3:], X, X, support=Causal())
    assert [call["is_causal"] for call in handed] == [False, False]
    assert handed[0]["attn_mask"].int().sum(-1).tolist() == [[[3, 4, 5, 5, 5]]]
    assert handed[1]["attn_mask"].int().sum(-1).tolist() == [[[4, 5]]]


def test_the_scale_and_the_bias_arrive(handed):
    attend(X, X, X, similarity=Dot(0.7), position=Alibi((1.0, 2.0)), support=Causal())
    assert handed[0]["scale"] == 0.7
    assert handed[0]["attn_mask"][0, 1, 2].tolist() == [-4, -2, 0, -float("inf"), -float("inf")]


def test_its_dropout_is_torchs_own():
    q = k = torch.zeros(1, 1, 300, 2)
    torch.manual_seed(0)
    output = attend(q, k, torch.ones(1, 1, 300, 2), dropout=0.5, backend="sdpa").output
    assert output.std() > 0.01
    assert abs(float(output.mean()) - 1) < 0.02


ELSEWHERE = "drop backend='sdpa', or pass backend='reference'"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            {"support": Edges(torch.tensor([0]), torch.tensor([1]), nodes=5)},
            "backend 'sdpa' needs a dense support\n  got: Edges(1 edges, 5 targets, 5 sources)\n"
            "  fix: drop backend='sdpa', or pass backend='edges'",
        ),
        (
            {"similarity": Constant()},
            f"backend 'sdpa' knows the similarity Dot alone\n  got: Constant\n  fix: {ELSEWHERE}",
        ),
        (
            {"normalise": Mean()},
            f"backend 'sdpa' knows the normaliser Softmax alone\n  got: Mean\n  fix: {ELSEWHERE}",
        ),
        (
            {"weights": True},
            f"backend 'sdpa' returns no weights\n  got: weights=True, or a trace\n  fix: {ELSEWHERE}",
        ),
        (
            {"dropout": 0.5, "generator": torch.Generator()},
            "backend 'sdpa' cannot draw its dropout from a generator\n"
            f"  got: dropout=0.5, generator=...\n  fix: {ELSEWHERE}",
        ),
    ],
)
def test_what_it_cannot_do_is_refused(call, text):
    with pytest.raises(RegardError) as error:
        attend(X, X, X, backend="sdpa", **call)
    assert str(error.value) == text


def test_a_mask_for_some_heads_arrives_with_four_axes(handed):
    attend(X, X, X, support=Mask(torch.ones(2, 5, 5, dtype=torch.bool)))
    assert handed[0]["attn_mask"].shape == (1, 2, 5, 5)


def test_key_heads_are_shared_where_they_are_fewer_and_only_there(handed):
    q, k = torch.ones(1, 4, 3, 2), torch.ones(1, 2, 3, 2)
    attend(q, k, k)
    attend(q, q, q)
    assert [call["enable_gqa"] for call in handed] == [True, False]


def test_in_float16_a_very_negative_bias_stays_finite_and_minus_infinity_stays_itself(handed):
    x = torch.ones(1, 1, 2, 2, dtype=torch.float16)
    attend(x, x, x, support=Mask(torch.tensor([[0.0, -1e9], [1.0, -torch.inf]])))
    assert handed[0]["attn_mask"].flatten().tolist() == [0.0, -65504.0, 1.0, -torch.inf]
