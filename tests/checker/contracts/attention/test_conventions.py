"""What a layer has inside, and what its mask means, is a choice; held strictly it is not."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from regard.checker.contracts.attention.conventions import turned
from regard.checker.live import check


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads, bias=True):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def hide(self, scores, mask):
        return scores.masked_fill(mask[:, None, None] == 0, float("-inf"))

    def attend(self, q, k, v, mask=None):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        scores = scores if mask is None else self.hide(scores, mask)
        return (torch.softmax(scores, -1) @ v).transpose(1, 2).flatten(2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(self.query(query)), self.split(self.key(key)), self.split(self.value(value))
        return self.out(self.attend(q, k, v, mask))


class PlusAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value, mask) + query


class NormAttention(MultiHeadAttention):
    def __init__(self, width, heads):
        super().__init__(width, heads)
        self.layer_norm = nn.LayerNorm(width)

    def forward(self, query, key, value, mask=None):
        return self.layer_norm(super().forward(query, key, value, mask) + query)


class HidingAttention(MultiHeadAttention):
    def hide(self, scores, mask):
        return scores.masked_fill(mask[:, None, None], float("-inf"))

    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value, mask)


class AddedAttention(MultiHeadAttention):
    def hide(self, scores, mask):
        return scores + mask[:, None, None]

    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value, mask)


class FirstAttention(MultiHeadAttention):
    def forward(self, query, key, value):
        query, key, value = (t.transpose(0, 1) for t in (query, key, value))
        return super().forward(query, key, value).transpose(0, 1)


class BareAttention(MultiHeadAttention):
    def __init__(self, width, heads):
        super().__init__(width, heads)
        del self.out

    def forward(self, query, key, value):
        return self.attend(
            self.split(self.query(query)), self.split(self.key(key)), self.split(self.value(value))
        )


class UnusedAttention(MultiHeadAttention):
    def forward(self, query, key, value):
        return self.attend(
            self.split(self.query(query)), self.split(self.key(key)), self.split(self.value(value))
        )


class LensAttention(MultiHeadAttention):
    def forward(self, query, key, value, valid_lens=None):
        if valid_lens is None:
            return super().forward(query, key, value)
        mask = torch.arange(key.shape[1])[None] < valid_lens[:, None]
        return super().forward(query, key, value, mask)


class LoneAttention(MultiHeadAttention):
    def forward(self, x):
        assert x.ndim == 2
        return super().forward(x[None], x[None], x[None])[0]


CHOICES = {
    PlusAttention: ("residual-added", "the input is added to the output"),
    NormAttention: ("norm-inside", "a layer norm is applied inside the layer"),
    HidingAttention: ("mask-hides", "True in the mask means: hidden"),
    AddedAttention: ("mask-additive", "the mask is added to the scores"),
    FirstAttention: ("sequence-first", "tokens come before samples"),
    BareAttention: ("no-out-projection", "there is no output projection"),
    LoneAttention: ("no-batch-axis", "it takes one sequence at a time"),
}


@pytest.mark.parametrize("layer", CHOICES, ids=lambda layer: layer.__name__)
def test_another_convention_is_correct_and_said_on_the_verdict_line(layer: type) -> None:
    slug, words = CHOICES[layer]
    report = check(layer, contract="multi-head-attention")
    (verdict,) = report.verdicts
    assert report.code == 0, str(report)
    assert slug in {f.slug for f in verdict.findings if f.kind == "convention" and not f.declared}
    assert str(report).startswith(f"correct, by another convention: {words}")
    assert verdict.sentence.startswith(f"correct, by another convention: {words}")


@pytest.mark.parametrize("layer", CHOICES, ids=lambda layer: layer.__name__)
def test_held_strictly_it_is_a_mistake(layer: type) -> None:
    assert check(layer, contract="multi-head-attention", strict=True).code == 1


def test_a_convention_that_is_asked_for_is_kept_or_missed() -> None:
    wanted = {"contract": "multi-head-attention", "conventions": ("mask=hidden",)}
    assert check(HidingAttention, strict=True, **wanted).code == 0
    missed = check(MultiHeadAttention, **wanted)
    assert (missed.code, missed.verdicts[0].slugs) == (1, ("mask-inverted",))
    wanted["conventions"] = ("residual=inside",)
    assert check(MultiHeadAttention, **wanted).verdicts[0].slugs == ("residual-added",)


def test_lengths_in_place_of_a_mask_are_declared_by_their_name() -> None:
    report = check(LensAttention, contract="multi-head-attention")
    assert report.code == 0
    assert str(report).startswith("correct  LensAttention")


def test_a_projection_that_is_built_and_not_used_is_a_mistake() -> None:
    report = check(UnusedAttention, contract="multi-head-attention")
    assert report.verdicts[0].slugs == ("out-projection-missing",)


class RotaryCausalAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_attn, self.c_proj = (
            nn.Linear(config.n_embd, 3 * config.n_embd),
            nn.Linear(config.n_embd, config.n_embd),
        )
        self.heads, self.rope, self.flash = config.n_head, not config.abs_emb, config.use_flash_attn

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.c_attn(x).chunk(3, -1))
        if self.rope:
            d, n = q.shape[-1], q.shape[-2]
            angles = torch.outer(torch.arange(n).to(q), 10000 ** (-torch.arange(0, d, 2).to(q) / d))
            cos, sin = angles.cos(), angles.sin()
            q, k = (
                torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
                for a, b in (t.chunk(2, -1) for t in (q, k))
            )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).flatten(2))


def test_a_layer_with_settings_of_any_names_and_rotary_inside() -> None:
    report = check(RotaryCausalAttention)
    assert report.code == 0, str(report)
    assert "rotary-inside" in {f.slug for f in report.verdicts[0].findings}


def test_both_pairings_keep_lengths() -> None:
    x = torch.randn(1, 2, 5, 6, dtype=torch.float64).numpy()
    for half in (True, False):
        assert abs((turned(x, half=half) ** 2).sum() - (x**2).sum()) < 1e-9
        assert (turned(x, half=half)[:, :, 0] == x[:, :, 0]).all()
