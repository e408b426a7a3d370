"""Calls: another function, other arguments, a call left out, axes that are cut."""

import pytest

from checker.fix.kinds import texts
from regard.checker.fix import calls


@pytest.mark.parametrize(
    ("kind", "before", "after", "name"),
    [
        (calls.renamed, "m = o.triu()", "m = o.tril()", "function"),
        (calls.renamed, "y = torch.sum(x)", "y = torch.mean(x)", "function"),
        (calls.renamed, "y = x.mul_(2)", "y = x.mul(2)", "in-place"),
        (calls.dropped, "y = x.detach().exp()", "y = x.exp()", "call-left-out"),
        (calls.dropped, "y = F.relu(x)", "y = x", "call-left-out"),
        (calls.dropped, "y = a.T @ h", "y = a @ h", "call-left-out"),
        (calls.arguments, "v = x.var(-1)", "v = x.var(-1, unbiased=False)", "argument"),
        (calls.arguments, "y = F.dropout(x, p)", "y = F.dropout(x, p, training=self.training)", "argument"),
        (calls.arguments, "y = f(q, k, v)", "y = f(q, v, k)", "arguments-exchanged"),
        (calls.arguments, "y = f(x, is_causal=False)", "y = f(x, is_causal=True)", "argument"),
        (calls.arguments, "y = f(x, bias=b)", "y = f(x)", "argument-left-out"),
        (calls.arguments, 'y = einsum("ij,jk->ik", a, h)', "y = einsum('ji,jk->ik', a, h)", "axes-exchanged"),
        (calls.arguments, "y = f(q, is_causal=self.training)", "y = f(q, is_causal=True)", "argument"),
        (calls.arguments, "y = f(q, dropout_p=self.p)", "y = f(q, dropout_p=self.p if self.training else 0.0)", "argument"),
        (calls.renamed, "y = torch.relu(x)", "y = torch.nn.functional.leaky_relu(x, 0.2)", "leaky"),
        (calls.renamed, "self.act = nn.ReLU()", "self.act = nn.LeakyReLU(0.2)", "leaky"),
        (calls.renamed, "w = nn.Dropout(self.p)(w)", "w = torch.nn.functional.dropout(w, self.p, training=self.training)", "argument"),
        (calls.dropped, "y = (a + b).detach() * c", "y = (a + b) * c", "call-left-out"),
        (calls.heads, "y = (w @ h).reshape(n, -1)", "y = (w @ h).transpose(0, 1).reshape(n, -1)", "heads"),
        (calls.heads, "k = k.reshape(d, m)", "k = k.transpose(-2, -1)", "transpose"),
        (calls.heads, "y = y.reshape(n, c)", "y = y.transpose(0, 1).reshape(n, c)", "heads"),
        (calls.heads, "q = q.view(b, h, n, d)", "q = q.reshape(b, n, h, d).transpose(1, 2)", "heads"),
        (calls.heads, "y = (w @ h).mean(0)", "y = (w @ h).transpose(0, 1).flatten(1)", "heads"),
        (calls.heads, "y = torch.stack(outs).mean(0)", "y = torch.cat(outs, dim=-1)", "heads"),
        (calls.heads, "y = y.contiguous().view(b, n, c)", "y = y.transpose(1, 2).reshape(b, n, c)", "heads"),
    ],
)  # fmt: skip
def test_a_change_is_among_those_that_are_made(kind, before: str, after: str, name: str) -> None:
    assert texts(kind, before)[after] == name


def test_all_views_are_mended_at_once_and_heads_stand_side_by_side() -> None:
    wrong = "q = q.view(b, h, n, d)\nk = k.view(b, h, n, d)\n"
    right = "q = q.reshape(b, n, h, d).transpose(1, 2)\nk = k.reshape(b, n, h, d).transpose(1, 2)\n"
    assert right in texts(calls.heads, wrong)
    assert "y = out.flatten(1)" in texts(calls.heads, "y = out.mean(dim=1)")
