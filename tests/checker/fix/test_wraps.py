"""Calls that are missing: scale, mask, a layer that is never used."""

import pytest

from checker.fix.kinds import texts
from regard.checker.fix import wraps

LAYER = """
class A:
    def __init__(self):
        self.proj, self.bias = make()

    def forward(self, x, mask=None):
        w = x.softmax(-1)
        w = w * mask
        return w
"""


@pytest.mark.parametrize(
    ("kind", "before", "after", "name"),
    [
        (wraps.scaled, "s = q @ k.mT", "s = (q @ k.mT) / q.shape[-1] ** 0.5", "scale"),
        (wraps.scaled, "s = f(x) @ g(x) + c // self.h", "s = (f(x) @ g(x)) / (c // self.h) ** 0.5 + c // self.h", "scale"),
        (wraps.scaled, "s = p / math.sqrt(c) + self.head_dim", "s = p / math.sqrt(self.head_dim) + self.head_dim", "scale"),
        (wraps.scaled, "s = p / d", "s = p / d ** 0.5", "root"),
        (wraps.around, "y = x @ v", "y = x @ v.transpose(-2, -1)", "transpose"),
        (wraps.around, "d = inv(a)", "d = inv(a).sqrt()", "root"),
        (wraps.around, "s = s.masked_fill(~mask, v)", "s = s.masked_fill(~mask.mT, v)", "transpose"),
        (wraps.around, "t = self.logits[k]", "t = torch.log_softmax(self.logits, dim=-1)[k]", "softmax"),
        (wraps.sides, "y = s * mm(a, h)", "y = s * mm(a, s * h)", "both-sides"),
        (wraps.sides, "y = a @ x / d", "y = (a / (d * d.mT) ** 0.5) @ x", "both-sides"),
        (wraps.around, "y = f(e)", "y = f(e).exp()", "call-missing"),
        (wraps.around, "y = f(e)", "y = torch.nn.functional.leaky_relu(f(e), 0.2)", "leaky"),
        (wraps.around, "y = f(e)", "y = f(e) / f(e).sum(dim=-1, keepdim=True)", "normalised"),
        (wraps.around, "y = a - b", "y = a - 0.5 * b", "half"),
        (wraps.around, "y = f(e)", "y = f(e) * f(e).shape[-1] ** 0.5", "width"),
        (wraps.widened, "y = F.normalize(x, dim=-1) * self.gamma", "y = F.normalize(x, dim=-1) * x.shape[-1] ** 0.5 * self.gamma", "width"),
        (wraps.around, "w = torch.exp(scores) * mask_of_all\n", "w = torch.exp(scores) * mask_of_all\nw = w / w.sum(dim=-1, keepdim=True)\n", "normalised"),
        (wraps.halved, "s = self.log_variance[k].exp().repeat(n, 1)", "s = (0.5 * self.log_variance[k]).exp().repeat(n, 1)", "half"),
        (wraps.halved, "s = torch.exp(v)", "s = torch.exp(0.5 * v)", "half"),
        (wraps.around, "p = c + o", "p = c + o - 1", "shifted"),
        (wraps.around, "y = f(e)", "y = f(e).softmax(dim=-1)", "softmax"),
    ],
)  # fmt: skip
def test_a_change_is_among_those_that_are_made(kind, before: str, after: str, name: str) -> None:
    assert texts(kind, before)[after] == name


def test_a_layer_that_is_never_used_is_put_to_use() -> None:
    assert texts(wraps.modules, LAYER)[LAYER.replace("return w", "return self.proj(w)")] == "module"
    assert texts(wraps.modules, LAYER)[LAYER.replace("return w", "return w + self.bias")] == "module"


def test_a_bias_that_is_never_used_is_given_to_a_linear_function() -> None:
    text = LAYER.replace("w = w * mask", "w = F.linear(w, mask)")
    assert (
        texts(wraps.modules, text)[text.replace("linear(w, mask)", "linear(w, mask, self.bias)")] == "module"
    )


def test_a_mask_after_the_softmax_moves_before_it() -> None:
    moved = LAYER.replace("x.softmax", 'x.masked_fill(mask == 0, float("-inf")).softmax').replace(
        "w * mask", "w"
    )
    assert texts(wraps.masked, LAYER)[moved] == "mask-moved"


def test_a_mask_that_may_be_missing_moves_with_that_question() -> None:
    moved = LAYER.replace("w * mask", "w").replace(
        "x.softmax", '(x.masked_fill(mask == 0, float("-inf")) if mask is not None else x).softmax'
    )
    assert texts(wraps.masked, LAYER)[moved] == "mask-moved"


def test_a_mask_that_is_ignored_or_missing_is_put_there() -> None:
    found = texts(wraps.masked, LAYER)
    assert LAYER.replace("x.softmax", 'x.masked_fill(~mask, float("-inf")).softmax') in found
    assert any(".triu(1)" in text for text in found)


def test_long_scores_get_a_line_of_their_own() -> None:
    text = "def f(q, k):\n    w = F.softmax(q @ k.transpose(-2, -1) / 8, dim=-1)\n    return w\n"
    found = next(new for new in texts(wraps.masked, text) if ".triu(1)" in new)
    assert found.splitlines()[1] == "    scores = q @ k.transpose(-2, -1) / 8"
    assert found.count("q @ k") == 1 and "softmax(scores.masked_fill(torch.ones(scores.size(-2)," in found
