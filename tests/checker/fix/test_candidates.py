"""Candidates: the likeliest first, near the lines that were pointed at, each once and each of them Python."""

import ast

from regard.checker.fix.candidates import candidates, reached
from regard.checker.fix.texts import CodeText

TEXT = """import torch


def helper(s):
    return torch.softmax(s, dim=0)


def unused(s):
    return s + 1


class Attention:
    def forward(self, q, k, v):
        s = q @ k.mT / q.shape[-1] ** 0.5
        return helper(s) @ v
"""


def made(slug: str, line: int) -> list[str]:
    code = CodeText(TEXT)
    return [code.applied(change) for change in candidates(TEXT, "Attention", (slug,), (line,))]


def test_what_a_member_calls_is_changed_and_nothing_else() -> None:
    assert [getattr(tree, "name", "") for tree in reached(ast.parse(TEXT), "Attention")] == [
        "Attention",
        "helper",
    ]
    assert all("return s + 1" in text for text in made("softmax-queries", 5))


def test_the_likely_change_comes_early() -> None:
    wanted = TEXT.replace("dim=0", "dim=-1")
    assert made("softmax-queries", 5).index(wanted) < 5
    assert made("softmax-queries", 5).index(wanted) < made("k-v-swapped", 15).index(wanted)


def test_each_is_python_and_none_comes_twice() -> None:
    found = made("unknown", 5)
    assert len(set(found)) == len(found) > 100 and TEXT not in found
    for text in found:
        ast.parse(text)


TWICE = """def attention(q, k, v):
    s = q.shape[-1] ** -0.5
    return ((q * s) @ (k * s).mT).softmax(-1) @ v


def table(n):
    return n ** 2
"""


def test_a_factor_is_left_out_before_it_is_added() -> None:
    """Under a softmax both are the same function: a sum for a product there is a shift, and nothing anybody means."""
    code = CodeText(TWICE)
    found = [code.applied(change) for change in candidates(TWICE, "attention", ("scale-not-rooted",), (3,))]
    assert found.index(TWICE.replace("(k * s)", "k")) < found.index(TWICE.replace("k * s", "k + s"))


def test_what_may_make_a_functions_arguments_is_changed_too() -> None:
    names = [getattr(tree, "name", "") for tree in reached(ast.parse(TWICE), "attention")]
    assert names == ["attention", "table"]


def test_a_name_that_was_bound_with_another_is_tried_in_its_place_before_others() -> None:
    text = "def layer(x, edges, a, b, c):\n    i, j = edges\n    d = a * b * c\n    return x[j] * d[j]\n"
    code = CodeText(text)
    found = [code.applied(change) for change in candidates(text, "layer", ("target-term-missing",), (4,))]
    assert found.index(text.replace("d[j]", "d[i]")) < found.index(text.replace("d[j]", "d[a]"))


def test_a_line_that_was_pointed_at_comes_before_one_that_speaks_of_the_mistake() -> None:
    text = "def samples(x):\n    samples = x.sum(0)\n    return x.logsumexp(0) + samples\n"
    code = CodeText(text)
    found = [code.applied(change) for change in candidates(text, "samples", ("sum-over-samples",), (3,))]
    assert found.index(text.replace("exp(0)", "exp(1)")) < found.index(text.replace("x.sum(0)", "x.sum(1)"))


def test_a_name_is_tried_in_a_function_with_many() -> None:
    many = "".join(f"    n{i} = x\n" for i in range(15))
    text = f"def layer(x):\n{many}    for i in x:\n        (k, v) = x\n        x = x @ k\n    return x\n"
    code = CodeText(text)
    found = [code.applied(change) for change in candidates(text, "layer", ("value-is-key",), (19,))]
    assert text.replace("x @ k", "x @ v") in found
