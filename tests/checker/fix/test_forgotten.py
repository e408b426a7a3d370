"""What is there and was forgotten is put where it belongs."""

import pytest

from checker.fix.kinds import texts
from regard.checker.fix import forgotten

ROOT = "class N:\n    def f(self, v):\n        return v / {}, self.eps\n"
SCALE = "class A:\n    def __init__(self, cfg):\n        self.s = {} ** -0.5\n        self.h = cfg.n_head\n"


@pytest.mark.parametrize(
    ("kind", "before", "after", "name"),
    [
        (forgotten.epsilon, ROOT.format("v.sqrt()"), ROOT.format("(v + self.eps).sqrt()"), "epsilon"),
        (forgotten.epsilon, ROOT.format("torch.sqrt(v)"), ROOT.format("torch.sqrt(v + self.eps)"), "epsilon"),
        (forgotten.epsilon, ROOT.format("v.std(-1)"), ROOT.format("(v.std(-1) + self.eps)"), "epsilon"),
        (forgotten.widths, SCALE.format("cfg.width"), SCALE.format("(cfg.width // cfg.n_head)"), "scale"),
        (forgotten.widths, "def f(d, heads):\n    return math.sqrt(d)\n", "def f(d, heads):\n    return math.sqrt((d // heads))\n", "scale"),
        (forgotten.unread, "def f(x, offset=0):\n    return torch.arange(9) * x\n", "def f(x, offset=0):\n    return (torch.arange(9) + offset) * x\n", "unread"),
        (forgotten.unread, "def f(x, base=10000.0):\n    return 1e4 ** x\n", "def f(x, base=10000.0):\n    return base ** x\n", "unread"),
        (forgotten.unread, "def f(self, base=9):\n    self.base = base\n    self.t = 1e4 ** 2\n", "def f(self, base=9):\n    self.base = base\n    self.t = base ** 2\n", "unread"),
        (forgotten.chances, "k = torch.randint(0, 3, (n,)) + self.logits", "k = torch.multinomial(torch.softmax(self.logits, dim=0), n, replacement=True) + self.logits", "function"),
        (forgotten.chances, "k = int(torch.randint(3, ())) + self.logits", "k = int(torch.multinomial(torch.softmax(self.logits, dim=0), 1, replacement=True)) + self.logits", "function"),
        (forgotten.slices, "def f(x, o=0):\n    c = cos[:n]\n    s = sin[:n]\n", "def f(x, o=0):\n    c = cos[o:o + n]\n    s = sin[o:o + n]\n", "unread"),
        (forgotten.sliced, "def f(self, x):\n    b, n = x.shape\n    return g(self.tril == 0)\n", "def f(self, x):\n    b, n = x.shape\n    return g(self.tril[:n, :n] == 0)\n", "sliced"),
        (forgotten.unapplied, "def f(x):\n    a = g(x)\n    return h(x)\n", "def f(x):\n    a = g(x)\n    return a @ h(x)\n", "unused"),
        (forgotten.unapplied, "def f(x):\n    a = g(x)\n    return h(x)\n", "def f(x):\n    a = g(x)\n    return h(a @ x)\n", "unused"),
        (forgotten.unapplied, "def f(q, m):\n    return F.scaled_dot_product_attention(q)\n", "def f(q, m):\n    return F.scaled_dot_product_attention(q, attn_mask=m)\n", "mask"),
        (forgotten.passed, "def g(x, mask=None):\n    return x\ndef f(x, mask):\n    return g(x)\n", "def g(x, mask=None):\n    return x\ndef f(x, mask):\n    return g(x, mask=mask)\n", "mask"),
        (forgotten.applied, "def f(q, k):\n    q = turn(q)\n    return q, k\n", "def f(q, k):\n    q = turn(q)\n    return q, turn(k)\n", "applied"),
    ],
)  # fmt: skip
def test_it_is_among_those_that_are_made(kind, before: str, after: str, name: str) -> None:
    assert texts(kind, before)[after] == name


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (forgotten.epsilon, "def f(v):\n    return v.sqrt()\n"),
        (forgotten.widths, "def f(d):\n    return d ** 0.5\n"),
        (forgotten.unread, "def f(x, offset=0):\n    return torch.arange(9) + x + offset\n"),
        (forgotten.applied, "def f(q, k):\n    return turn(q), turn(k)\n"),
        (forgotten.slices, "def f(x, o=0):\n    return x[1:n]\n"),
        (forgotten.sliced, "def f(self, x):\n    b, n = x.shape\n    return self.q(x), self.t[:n]\n"),
        (forgotten.unapplied, "def f(x):\n    a = g(x)\n    return a\n"),
        (forgotten.passed, "def g(x, mask=None):\n    return x\ndef f(x, mask):\n    return g(x, mask)\n"),
    ],
)
def test_nothing_is_made_where_nothing_was_forgotten(kind, text: str) -> None:
    assert texts(kind, text) == {}
