"""Which conventions may be meant: strictness, the person's words, hints, what was asked for."""

from typing import Any

from regard.checker.choices import asked, said
from regard.checker.contract import Contract
from regard.checker.contracts.table import named
from regard.checker.reading.source import Source
from regard.checker.workbench import Workbench


class Nobody:
    def ask(self, verb: str, *values: Any, **named: Any) -> Any:
        raise AssertionError("nobody is asked")


def bench(text: str, **wishes: Any) -> Workbench:
    member = {"name": "turn", "kind": "function", "parameters": []}
    return Workbench(Nobody(), member, [], Source(text), **wishes)


def slugs(contract: Contract) -> set[str]:
    return {convention.slug for convention in contract.conventions}


def test_held_strictly_what_would_be_a_mistake_is_no_choice() -> None:
    rotary = named("rotary")
    assert "clockwise" in slugs(asked(rotary, bench("def turn(x): ...")))
    strict = slugs(asked(rotary, bench("def turn(x): ...", strict=True)))
    assert "clockwise" not in strict
    assert "half-split" in strict


def test_a_docstring_that_states_a_convention_counts_even_strictly() -> None:
    text = 'def turn(x):\n    """Turns every pair clockwise."""\n'
    assert "clockwise" in slugs(asked(named("rotary"), bench(text, strict=True)))
    assert said(named("rotary").convention("clockwise"), bench(text))
    assert not said(named("rotary").convention("positions-from-1"), bench(text))


def test_what_the_command_asks_for_counts_as_said() -> None:
    wanted = bench("def turn(x): ...", strict=True, wanted=("direction=clockwise",))
    assert "clockwise" in slugs(asked(named("rotary"), wanted))


def test_a_convention_with_a_hint_is_considered_only_where_the_file_holds_it() -> None:
    layer = named("causal-attention")
    assert "norm-inside" not in slugs(asked(layer, bench("def turn(x): ...")))
    assert "norm-inside" in slugs(asked(layer, bench("def turn(x, layer_norm): ...")))


def test_what_only_words_ask_for_may_be_asked_for_by_the_command() -> None:
    gat = named("gat-layer")
    assert "heads-mean" not in slugs(asked(gat, bench("def turn(x): ...")))
    assert "heads-mean" in slugs(asked(gat, bench("def turn(x): ...", wanted=("heads=mean",))))
