"""Graph attention in the styles people write."""

from collections.abc import Callable

import pytest

from regard.checker.contracts.graph.gat.contract import CONTRACT, decide
from regard.checker.live import check
from regard.checker.reading.source import Source

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


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_style_is_judged_as_it_is(name: str, style: Callable) -> None:
    module = style("graphs")
    contract, expected = module.EXPECTED[name]
    verdict = check(getattr(module, name), contract=contract, strict=bool(expected)).verdicts[0]
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


SECOND = next(c for c in CONTRACT.conventions if c.slug == "gatv2")
CLASS = "class {name}:\n{doc}    def __init__(self, {argument}): ...  {comment}\n"


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ({}, False),
        ({"name": "GATv2Layer"}, True),
        ({"doc": '    """After Brody et al., 2022."""\n'}, True),
        ({"doc": '    """With dynamic attention."""\n'}, True),
        ({"comment": "# the order of v2"}, True),
        ({"argument": "use_v2=True"}, True),
        ({"name": "GraphAttentionV2Conv"}, True),
        ({"argument": "v21"}, False),
        ({"comment": "v2 = 3"}, False),
    ],
)
def test_the_second_version_is_a_convention_only_where_it_is_asked_for(words: dict, asked: bool) -> None:
    parts = {"name": "Layer", "doc": "", "comment": "", "argument": "width"} | words
    assert SECOND.asked(Source(CLASS.format(**parts)).said(parts["name"])) is asked


@pytest.mark.slow
def test_the_same_layer_is_a_mistake_under_a_name_that_does_not_ask_for_it(style: Callable) -> None:
    module = style("graphs")
    plain = type("Plain", (module.V2,), {"__module__": module.__name__, "__doc__": None})
    verdict = check(plain, contract="gat-layer").verdicts[0]
    assert verdict.slugs == ("leaky-before-vector",)


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("gat-layer")
