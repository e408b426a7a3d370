"""Statements: their order, what is registered, what is written in place, what cuts a gradient."""

from checker.fix.kinds import texts
from regard.checker.fix import statements

BODY = """
def f(x):
    a = one(x)
    b = two(x)
    c = three(x)
    return a
"""
LAYER = """
class A(nn.Module):
    def __init__(self):
        self.w = torch.randn(3)
        self.layers = [nn.Linear(2, 2)]

    def forward(self, x):
        x += 1
        x.mul_(2)
        with torch.no_grad():
            y = x.detach()
        return y
"""


def test_statements_are_exchanged_moved_and_left_out() -> None:
    found = texts(statements.order, BODY)
    assert (
        found[BODY.replace("    a = one(x)\n    b = two(x)\n", "    b = two(x)\n    a = one(x)\n")] == "order"
    )
    assert found[BODY.replace("    b = two(x)\n", "")] == "statement-left-out"
    loop = BODY.replace("    b = two(x)\n", "    for p in x:\n        p.zero_()\n")
    assert texts(statements.order, loop)[BODY.replace("    b = two(x)\n", "")] == "statement-left-out"
    moved = BODY.replace("    a = one(x)\n", "").replace(
        "    c = three(x)\n", "    c = three(x)\n    a = one(x)\n"
    )
    assert found[moved] == "moved"


def test_nothing_comes_to_stand_behind_a_return() -> None:
    assert all(text.endswith("    return a\n") for text in texts(statements.order, BODY))


def test_weights_are_registered() -> None:
    found = texts(statements.registered, LAYER)
    assert LAYER.replace("torch.randn(3)", "nn.Parameter(torch.randn(3))") in found
    many = LAYER.replace("[nn.Linear(2, 2)]", "[nn.Linear(2, 2)] * 3")
    assert LAYER.replace("[nn.Linear(2, 2)]", "[nn.Linear(2, 2) for _ in range(3)]") in texts(
        statements.registered, many
    )
    assert LAYER.replace("[nn.Linear(2, 2)]", "nn.ModuleList([nn.Linear(2, 2)])") in found
    assert LAYER.replace("        self.w", "        super().__init__()\n        self.w") in found


def test_what_writes_in_place_is_written_anew() -> None:
    found = texts(statements.in_place, LAYER)
    assert LAYER.replace("x += 1", "x = x + (1)") in found
    assert LAYER.replace("x.mul_(2)", "x = x.mul(2)") in found
    assert LAYER.replace("        x += 1", "        x = x.clone()\n        x += 1") in found


def test_what_cuts_a_gradient_is_left_out() -> None:
    found = texts(statements.gradients, LAYER)
    assert LAYER.replace("x.detach()", "x") in found
    assert LAYER.replace("        with torch.no_grad():\n            y", "        y") in found


def test_an_exponential_is_shifted_and_a_log_of_a_sum_is_one_function() -> None:
    assert "e = torch.exp(s - (s).amax(dim=-1, keepdim=True))" in texts(statements.stable, "e = torch.exp(s)")
    assert "y = torch.logsumexp(t, dim=1)" in texts(statements.stable, "y = torch.log(torch.exp(t).sum(1))")


def test_every_detach_is_left_out_at_once() -> None:
    text = "def f(x, w, b):\n    return x * w.detach() + b.detach()\n"
    assert texts(statements.attached, text) == {"def f(x, w, b):\n    return x * w + b\n": "gradient"}


def test_a_weight_that_comes_too_early_is_taken_into_what_comes_back() -> None:
    text = "def f(self, x):\n    x = x * self.w\n    return x / x.norm()\n"
    wanted = "def f(self, x):\n    return (x / x.norm()) * self.w\n"
    assert texts(statements.later, text) == {wanted: "later"}
