"""What is said of code that could not be judged: a guess that may be wrong is undecided, never a mistake."""

from typing import Any

import pytest

from regard.checker.contracts.table import named
from regard.checker.process.session import Lost, Raised
from regard.checker.reading.source import Place, Source
from regard.checker.trouble import doubtful, stopped, watching
from regard.checker.workbench import Unfit, Workbench

LAYER = named("causal-attention")


class Nobody:
    def ask(self, verb: str, *values: Any, **named: Any) -> Any:
        raise AssertionError("nobody is asked")


def bench(*, doubts: tuple[str, ...] = (), partial: bool = False) -> Workbench:
    needed = {"name": "dim", "required": True, "star": False, "default": None}
    member = {"name": "Mine", "kind": "class", "parameters": [needed], "forward": [needed | {"name": "x"}]}
    return Workbench(
        Nobody(),
        member,
        [],
        Source("class Mine:\n    a = 1\ndevice = 2\n"),
        doubts=list(doubts),
        partial=partial,
    )


def test_an_exception_after_a_guess_is_not_understood_and_says_the_line_that_helps() -> None:
    error = Raised("AttributeError", "'Configuration' object has no attribute 'rank'", 2, "a = 1")
    guessed = bench(doubts=("config guessed from the fields that are read",))
    found = stopped(error, guessed, LAYER, started=False)
    assert (found.kind, found.slug) == ("stopped", "not-understood")
    assert found.evidence == ("tried: config guessed from the fields that are read",)
    assert found.remedy == "say it in one line: --make 'Mine(dim=…)', or --call 'Mine(x, …)'"
    assert found.place and found.place.line == 2


@pytest.mark.parametrize("started", [True, False])
def test_an_exception_without_a_guess_is_the_codes_own(started: bool) -> None:
    error = Raised("ZeroDivisionError", "division by zero\nmore", 2, "a = 1")
    error.given = "(2, 7, 24)"
    found = stopped(error, bench(), LAYER, started=started)
    told = "it raises ZeroDivisionError: division by zero, in line 2, given (2, 7, 24)"
    assert (found.slug, found.sentence) == ("raises", told)


@pytest.mark.parametrize(
    ("kind", "words", "doubts", "wanted"),
    [
        ("TypeError", "missing 1 required positional argument: 'freqs'", (), True),
        ("TypeError", "unsupported operand", (), False),
        ("NameError", "name 'device' is not defined", (), False),
        ("NameError", "name 'device' is not defined", ("partial",), True),
        ("NameError", "name 'devcie' is not defined", ("partial",), False),
        ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied", ("a guess",), True),
        ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied", ("partial",), False),
        ("RuntimeError", "view size is not compatible with input tensor's size", ("a guess",), False),
        ("RuntimeError", "something of its own", ("a guess",), False),
        ("RuntimeError", "batch1 must be a 3D tensor", (), True),
        ("ValueError", "expected 2D or 3D input (got 4D input)", (), True),
    ],
)
def test_only_what_a_wrong_guess_ends_in_is_doubtful(
    kind: str, words: str, doubts: tuple[str, ...], wanted: bool
) -> None:
    partly = "partial" in doubts
    found = bench(doubts=() if partly else doubts, partial=partly)
    assert doubtful(Raised(kind, words, None, ""), found) is wanted


def test_a_package_that_is_not_installed_is_said_with_what_to_do() -> None:
    found = stopped(
        Lost("not-installed", "it uses einops, which is not installed"), bench(), LAYER, started=True
    )
    assert found.remedy == "install it in this environment, then check again"
    assert (
        stopped(Lost("crashed", "…"), bench(), LAYER, started=True).remedy
        == "make one call run to its end first"
    )


def test_what_does_not_fit_is_a_mistake_only_where_the_contract_knows_it() -> None:
    known = stopped(Unfit("k-v-swapped", "as found", "mend it"), bench(), LAYER, started=True)
    assert (known.kind, known.evidence) == ("mistake", ("as found",))
    other = stopped(Unfit("unknown-weight", "as found", "say it"), bench(), LAYER, started=True)
    assert (other.kind, other.slug, other.sentence) == ("stopped", "unknown-weight", "as found")


def test_what_looks_at_who_asks_is_undecided() -> None:
    found = watching("sys.modules", Place(3, "if sys.modules:"), "rms-norm")
    assert (found.kind, found.slug) == ("stopped", "looks-around")
    assert found.sentence.startswith("it looks at who runs it (sys.modules), so what it does here")
