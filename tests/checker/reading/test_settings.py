"""Fields of a settings object, and what they are likely to hold."""

import pytest

from regard.checker.reading.settings import (
    by_keyword,
    constant,
    defaults,
    fields,
    guess,
    is_settings,
    settings,
)
from regard.checker.reading.source import Source

TEXT = """
class Config:
    n_embd: int = 768
    norm_eps: float = 1e-5
    flash: bool = True

class A:
    def __init__(self, config, width, hp):
        self.config = config
        self.n = nn.Linear(config.n_embd, 3 * width)
        self.flash = config.flash and getattr(config, "other", 3) and config.get("more")
        self.h = hp["n_head"]

    def forward(self, x):
        return x.shape if self.config.abs_emb else self.config.norm_eps
"""


def test_fields_are_read_wherever_they_stand() -> None:
    assert set(fields(Source(TEXT), "config")) == {"n_embd", "flash", "get", "abs_emb", "norm_eps"}
    assert fields(Source(TEXT), "hp") == ["n_head"]


def test_sizes_are_ours_flags_are_off_and_the_rest_is_as_declared() -> None:
    found = settings(Source(TEXT), "config", {"width": 24, "heads": 3})
    assert found == {"n_embd": 24, "flash": False, "abs_emb": False, "norm_eps": 1e-5}
    assert defaults(Source(TEXT), ["n_embd"]) == {"n_embd": 768}


@pytest.mark.parametrize(("name", "is_one"), [("config", True), ("hp", True), ("width", False)])
def test_a_parameter_that_is_used_by_its_fields_is_a_settings_object(name: str, is_one: bool) -> None:
    assert is_settings(Source(TEXT), "A", name) is is_one


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("attn_pdrop", 0.3),
        ("resid_dropout_rate", 0.3),
        ("hidden_act", None),
        ("max_batch_size", 4),
        ("use_bias_x", False),
        ("device", "cpu"),
        ("rotary_dim", 8),
        ("rot_dims", 8),
    ],
)
def test_names_say_what_a_field_holds(name: str, value: object) -> None:
    assert guess(name, {"width": 24, "dropout": 0.3, "head_width": 8}) == value


def test_a_size_at_the_top_of_the_file_is_known() -> None:
    source = Source("n_heads = 8\nx = 3\ndef f(q):\n    return q / n_heads")
    assert constant(source, {"name": "f"}, "heads") == 8
    assert constant(source, {"name": "f"}, "head_width") is None


@pytest.mark.parametrize("inner", ["c.inner['num_heads']", "c.inner.num_heads", "c['inner']['num_heads']"])
def test_a_field_may_be_a_settings_object_itself(inner: str) -> None:
    source = Source(f"class A:\n    def __init__(self, c):\n        self.h, self.w = {inner}, c.width")
    assert settings(source, "c", {"heads": 3, "width": 24}) == {
        "inner": {"config": {"num_heads": 3}},
        "width": 24,
    }


@pytest.mark.parametrize(
    "use", ["x.view(2, self.kopf, -1)", "dim // c['koepfe']", "x.unflatten(-1, (self.kopf, -1))"]
)
def test_a_field_nobody_knows_that_is_used_as_a_size_is_the_first_that_no_other_claims(use: str) -> None:
    source = Source(
        f"class A:\n    def __init__(self, c):\n        dim, self.flag = c['dim'], c['spur']\n        self.kopf = c['koepfe']\n        {use}"
    )
    known = {"width": 24, "heads": 3, "dropout": 0.3}
    assert settings(source, "c", known) == {"dim": 24, "koepfe": 3, "spur": False}
    assert settings(source, "c", {"width": 24, "dropout": 0.3})["koepfe"] is False


@pytest.mark.parametrize("use", ["x.sqrt() + self.klein", "x.clamp(min=o['winzig'])", "x.add(self.klein)"])
def test_a_field_nobody_knows_that_is_added_is_a_small_number(use: str) -> None:
    source = Source(
        f"class A:\n    def __init__(self, o):\n        self.n, self.klein = o['dim'], 1\n        self.klein = o['winzig']\n        {use}"
    )
    assert settings(source, "o", {"width": 24, "eps": 1e-5}) == {"dim": 24, "winzig": 1e-5}


def test_fields_may_come_as_keywords() -> None:
    source = Source(
        "class A:\n    def __init__(self, **c):\n        self.h = c['heads']\nclass B:\n    def __init__(self, **c):\n        super().__init__(**c)"
    )
    assert by_keyword(source, "A") == "c"
    assert by_keyword(source, "B") is None
