"""Exceptions that no way to call could have caused are told from those that a wrong guess may end in."""

import pytest

from regard.checker.reading.source import Source
from regard.checker.reading.unheard import own

HEAD = "import torch\n"
LACKS = "'Tensor' object has no attribute '{}'"
FIELD = "'A' object has no attribute 'b'"
SIZE = "view(): argument 'size' failed to unpack the object at pos 3 with error \"type must be tuple of ints,but got Tensor\""
ROOT = "sqrt(): argument 'input' (position 1) must be Tensor, not int"
MIXED = "var() received an invalid combination of arguments - got (int, keep_dims=bool), but expected one of:\n * (tuple dim, bool unbiased, bool keepdim)"


@pytest.mark.parametrize(
    ("text", "kind", "words", "line", "answer"),
    [
        ("def f(x):\n    return x.mask_fill(x > 0, 1)", "AttributeError", LACKS.format("mask_fill"), 3, True),
        ("def f(g):\n    return g.edge_weights", "AttributeError", LACKS.format("edge_weights"), 3, False),
        ("def f(x):\n    y = torch.exp(x)\n    return y.graph", "AttributeError", LACKS.format("graph"), 4, True),
        ("def f(x):\n    y = x\n    return y.graph", "AttributeError", LACKS.format("graph"), 4, False),
        ("def f(x):\n    return torch.sofmax(x)", "AttributeError", "module 'torch' has no attribute 'sofmax'", 3, True),
        ("def f(x):\n    return x.mean(keep_dim=True)", "TypeError", "mean() got an unexpected keyword argument 'keep_dim'", 3, True),
        ("def f(x):\n    return x.std(ddof=1)", "TypeError", "std() got an unexpected keyword argument 'ddof'", 3, False),
        ("def mean(x): ...\ndef f(x):\n    return mean(x, k=1)", "TypeError", "mean() got an unexpected keyword argument 'k'", 4, False),
        ("def f(x):\n    return x.var(-1, keep_dims=True)", "TypeError", MIXED, 3, True),
        ("def f(x):\n    return x.var(-1, keepdim=2)", "TypeError", MIXED.replace("keep_dims", "keepdim"), 3, False),
        ("def f(x):\n    a, b, c = x.shape\n    c = x + 1\n    return x.view(a, b, c)", "TypeError", SIZE, 5, True),
        ("def f(x, c):\n    a, b = x.shape\n    return x.view(a, b, c)", "TypeError", SIZE, 4, False),
        ("class A(nn.Module):\n    def f(self):\n        self.a = 1", "AttributeError", FIELD, 4, True),
        ("class A(nn.Module):\n    def f(self):\n        self.b = 1", "AttributeError", FIELD, 4, False),
        ("class A(Other):\n    def f(self):\n        self.a = 1", "AttributeError", FIELD, 4, False),
        ("class A:\n    def f(self, x):\n        return self.g(x)", "AttributeError", "'Linear' object has no attribute 'T'", 4, True),
        ("def g(x, p): ...\ndef f(x):\n    return g(x)", "TypeError", "g() missing 1 required positional argument: 'p'", 4, True),
        ("def g(x, p): ...\ndef f(*x):\n    return g(*x)", "TypeError", "g() missing 1 required positional argument: 'p'", 4, False),
        ("class A:\n    def __init__(self):\n        super.__init__()", "TypeError", "descriptor '__init__' of 'super' object needs an argument", 4, True),
        ("def f(x):\n    b, n, d = x.size()\n    return x / torch.sqrt(d)", "TypeError", ROOT, 4, True),
        ("def f(x):\n    return x / torch.sqrt(x.size(1))", "TypeError", ROOT, 3, True),
        ("def f(x, d):\n    return x / torch.sqrt(d)", "TypeError", ROOT, 3, False),
    ],
)  # fmt: skip
def test_whose_fault_it_is(text: str, kind: str, words: str, line: int, answer: bool) -> None:
    assert own(Source(HEAD + text), kind, words, line) is answer
