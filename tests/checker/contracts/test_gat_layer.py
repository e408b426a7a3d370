"""Graph attention in the styles people write."""

from collections.abc import Callable

import pytest

from regard.checker.contracts.gat_layer import decide
from regard.checker.live import check
from regard.checker.reading import Source

NAMES = [
    "PyGAT",
    "LabmlGAT",
    "EdgeGAT",
    "HeadList",
    "ConvGAT",
    "LoopGAT",
    "V2",
    "Rows",
    "Backwards",
]


@pytest.mark.parametrize("name", NAMES)
def test_each_style_is_judged_as_it_is(name: str, style: Callable) -> None:
    module = style("graphs")
    contract, expected = module.EXPECTED[name]
    verdict = check(getattr(module, name), contract=contract).verdicts[0]
    assert verdict.slugs == expected, verdict.sentence
    assert verdict.state == ("mistake" if expected else "correct"), verdict.sentence


@pytest.mark.parametrize(
    ("line", "slug"),
    [
        ("return softmax(e)  # no leaky_relu(e)", "leaky-missing"),
        ("return leaky_relu(softmax(e))", "leaky-after-softmax"),
        ("return self.act(softmax(e))", "leaky-after-softmax"),
    ],
)
def test_the_source_tells_mistakes_apart_that_are_the_same_function(line: str, slug: str) -> None:
    made = "class L:\n    def __init__(self):\n        self.act = LeakyReLU(0.2)\n    def forward(self, e):\n        "
    assert decide(Source(made + line), "L", {"leaky-missing", "leaky-after-softmax"}, {}) == slug


def test_gradients_tell_an_unused_vector_from_a_useless_one() -> None:
    both = {"source-term-missing", "attention-unused"}
    assert decide(Source(""), "L", both, {"unreached": ["a"]}) == "attention-unused"
    assert decide(Source(""), "L", both, {"unreached": []}) == "source-term-missing"
    assert decide(Source(""), "L", both, {}) is None
