"""Terms of a density and draws from a mixture."""

import pytest

from checker.fix.kinds import texts
from regard.checker.fix import terms

DENSITY = "import math\nclass G:\n    def forward(self, x):\n        return -0.5 * ({}) + self.log_vars\n"
DRAW = "def sample(self, n):\n    k = {}\n    return self.means[k]\n"


@pytest.mark.parametrize(
    ("kind", "before", "after", "name"),
    [
        (terms.constants, DENSITY.format("math.log(2 * math.pi) + q"), DENSITY.format("x.shape[-1] * math.log(2 * math.pi) + q"), "constant"),
        (terms.constants, DENSITY.format("v + q"), DENSITY.format("v + q + math.log(2 * math.pi)"), "constant"),
        (terms.constants, DENSITY.format("v + q"), DENSITY.format("v + q + x.shape[-1] * math.log(2 * math.pi)"), "constant"),
        (terms.determinants, DENSITY.format("d + q"), DENSITY.format("d + q + self.log_vars.sum(-1)"), "determinant"),
        (terms.mixed, "y = (w * t).sum(dim=1)", "y = torch.logsumexp(torch.log(w) + t, dim=1)", "mixed"),
        (terms.mixed, "y = torch.log(torch.sum(w * torch.exp(t), dim=1))", "y = torch.logsumexp(torch.log(w) + t, dim=1)", "mixed"),
        (terms.drawn, DRAW.format("torch.multinomial(w, 1).item()"), DRAW.format("torch.multinomial(w, n, replacement=True)"), "drawn"),
        (terms.drawn, DRAW.format("Categorical(w).sample()"), DRAW.format("Categorical(w).sample((n,))"), "drawn"),
        (terms.drawn, "def f(m):\n    return torch.randn(len(m), 1)\n", "def f(m):\n    return torch.randn_like(m)\n", "drawn"),
        (terms.logarithms, "y = w + t", "y = w.log() + t", "logarithm"),
    ],
)  # fmt: skip
def test_a_term_is_among_those_that_are_made(kind, before: str, after: str, name: str) -> None:
    assert texts(kind, before)[after] == name


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (terms.constants, "y = a * b"),
        (terms.determinants, "y = a + b"),
        (terms.mixed, "y = (w + t).sum(1)"),
        (terms.drawn, "def f(n):\n    return g(n)\n"),
        (terms.logarithms, "y = w * t"),
    ],
)
def test_nothing_is_made_of_what_is_none(kind, text: str) -> None:
    assert texts(kind, text) == {}


def test_the_logarithm_is_in_the_words_of_the_file() -> None:
    text = DENSITY.format("v + q").replace("import math", "import numpy as np")
    assert any("+ np.log(2 * np.pi)" in new for new in texts(terms.constants, text))
