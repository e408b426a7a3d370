"""A person's source, read without running it."""

import pytest

from regard.checker.reading.source import Source, role

TEXT = """
class A:
    def __init__(self):
        self.scale = 3 ** 0.5; self.init = softmax(1)

    def forward(self, x):
        k, q, v = self.c_attn(x).split(8, dim=2)
        s = q @ k.T
        s = s.masked_fill(self.mask == 0, 0)
        return s.softmax(-1) @ v

def f(x):
    q, k, v = z[1], z[0], z[2]
"""


@pytest.mark.parametrize(
    ("look", "line"),
    [("softmax", 10), ("mask", 9), ("product", 8), ("power", 4), ("dropout", 6), ("", 6), ("split", 7)],
)
def test_a_finding_points_at_the_expression_or_at_forward(look: str, line: int) -> None:
    place = Source(TEXT).place("A", look)
    assert place
    assert place.line == line
    assert place.text == TEXT.splitlines()[line - 1].strip()


def test_names_say_how_a_fused_projection_is_cut() -> None:
    assert Source(TEXT).thirds("A") == ("k", "q", "v")
    assert Source(TEXT).thirds("f") == ("k", "q", "v")
    assert Source("def g():\n    a, b = c").thirds("g") is None


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("q", "q"),
        ("queries", "q"),
        ("key", "k"),
        ("W_v", "v"),
        ("xk", None),
        ("question", None),
        ("x", None),
        ("query_states", "q"),
    ],
)
def test_roles_by_name(name: str, found: str | None) -> None:
    assert role(name) == found


def test_what_cannot_be_parsed_is_empty() -> None:
    source = Source("def (:")
    assert source.place("f", "softmax") is None
    assert source.thirds("f") is None


def test_comments_say_nothing() -> None:
    source = Source("class A:\n    # leaky\n    def forward(self, x):\n        return x + 1e4  # relu(x)\n")
    assert source.running("A") == "def forward(self, x):\n    return x + 10000.0"
    assert "leaky" not in source.code()


def test_what_is_said_of_a_member_is_names_docstrings_and_comments_not_code() -> None:
    text = '"""The file."""\n# opening\nimport torch\n# far away\nx = 1\n\n# above\nclass A(Base):\n    """Doc."""\n'
    text += "    def forward(self, inner):\n        code = Other(inner)  # beside\n        return code\n"
    said = Source(text, "layers").said("A").split()
    for word in ("layers", "A", "The", "Doc.", "inner", "Other", "Base", "above", "beside"):
        assert word in said, word
    for word in ("code", "away", "torch"):
        assert word not in said, word


@pytest.mark.parametrize(
    ("text", "cells", "wanted"),
    [
        ("import torch\ntorhc.ones(2)", (), True),
        ("torhc = 1", (), False),
        ("import numpy as torhc", (), False),
        ("def f(torhc): pass", (), True),
        ("class torhc: pass", (), False),
        ("from math import *", (), False),
        ("x = 1", (1,), False),
    ],
)
def test_a_name_that_nothing_binds_is_lacking(text: str, cells: tuple[int, ...], wanted: bool) -> None:
    assert Source(text, "", cells).lacks("name 'torhc' is not defined") is wanted
    assert not Source(text, "", cells).lacks("something else")


def test_a_class_is_built_of_those_it_names_and_of_theirs() -> None:
    text = 'class A(B):\n    x = C()\nclass B:\n    "Words of B."\nclass C:\n    y = D\nclass D: ...\nclass E:\n    z = A'
    source = Source(text)
    assert [part.name for part in source.parts("A")] == ["B", "C", "D"]
    assert [part.name for part in source.parts("E")] == ["A", "B", "C", "D"]
    assert "Words of B." in source.said("A")
    assert "Words of B." not in source.said("C")
    assert source.parts("D") == source.parts("nobody") == []


def test_an_operation_of_autograd_is_no_layer() -> None:
    source = Source("class A(Function): ...\nclass B(nn.Module): ...\ndef c(): ...")
    assert [source.is_operation(name) for name in "ABc"] == [True, False, False]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("np.exp(x)", True),
        ("torch.exp(x)", False),
        ("helper(x)", True),
        ("np.exp(x) + tensors(x)", False),
        ("x", False),
    ],
)
def test_what_names_numpy_and_not_torch_works_on_arrays(body: str, found: bool) -> None:
    helpers = "def helper(x):\n    return logsumexp(x)\n\ndef tensors(x):\n    return nn.ReLU()(x)\n"
    imports = "import numpy as np\nimport torch\nfrom torch import nn\nfrom scipy.special import logsumexp\n"
    assert Source(f"{imports}{helpers}def f(x):\n    return {body}").is_numpy("f") is found


@pytest.mark.parametrize(
    ("method", "heirs", "wanted"),
    [
        ("def f(self):\n        raise NotImplementedError", "class B(A): ...", True),
        ("@abc.abstractmethod\n    def f(self): ...", "class B(A): ...", True),
        ("def f(self):\n        raise NotImplementedError", "", False),  # to be filled in
        ("def f(self):\n        return 1", "class B(A): ...", False),
    ],
)
def test_a_class_that_leaves_a_method_to_its_heirs_is_abstract(method: str, heirs: str, wanted: bool) -> None:
    assert Source(f"class A:\n    {method}\n{heirs}").is_abstract("A") is wanted


def test_names_say_how_a_pair_is_cut() -> None:
    text = "class A:\n    def forward(self, x):\n        v, k = self.kv(x).chunk(2, -1)"
    assert Source(text).thirds("A", "kv") == ("v", "k")
    assert Source(text).thirds("A") is None
