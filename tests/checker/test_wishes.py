"""What is said beside the file is heard or refused."""

import pytest

from regard.checker.contracts.table import named
from regard.checker.wishes import Wishes, called, made, mapping
from regard.errors import RegardError

MEMBER = {"name": "A", "kind": "class", "parameters": [{"name": "width"}]}


def test_the_file_itself_may_ask_for_the_contracts_own_choices() -> None:
    assert Wishes().strictly("# regard: strict\nx = 1")
    assert not Wishes().strictly("x = 1")
    assert not Wishes(strict=False).strictly("# regard: strict")


def test_arguments_are_heard_as_they_are_written() -> None:
    assert made("A(24, heads=3, cfg=Config(n=2))") == ([24], {"heads": 3, "cfg": {"config": {"n": 2}}})
    assert called("f(q, k, v, d_k=8)") == {"d_k": 8}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            lambda: mapping(["q"]),
            "--map takes NAME=VALUE\n  got: 'q'\n  fix: for example --map q=my_query,heads=4",
        ),
        (
            lambda: made("A"),
            "--make takes one call\n  got: 'A'\n  fix: for example --make 'Attention(dim=24, heads=3)'",
        ),
        (
            lambda: made("A(x)"),
            "--make takes plain values\n  got: 'A(x)'\n  fix: for example --make 'Attention(dim=24, heads=3)'",
        ),
        (
            lambda: made("\udcff"),
            "--make takes one call\n  got: '\\udcff'\n  fix: for example --make 'Attention(dim=24, heads=3)'",
        ),
        (
            lambda: Wishes(make="norm(3)").heeded([(MEMBER | {"kind": "function"}, named("layer-norm"))]),
            "--make is for a class: a function is not made\n  got: 'norm(3)'\n  fix: leave it out",
        ),
        (
            lambda: called("f("),
            "--call takes one call\n  got: 'f('\n  fix: for example --call 'f(q, k, v, d_k=8)'",
        ),
        (
            lambda: called("f(d=x)"),
            "--call takes plain values by name\n  got: 'f(d=x)'\n  fix: for example --call 'f(q, k, v, d_k=8)'",
        ),
        (
            lambda: Wishes(conventions=("mask=hiden",)).heeded([(MEMBER, named("multi-head-attention"))]),
            "--convention names no choice of this contract\n  got: 'mask=hiden'\n  fix: did you mean 'mask=hidden'?",
        ),
        (
            lambda: Wishes(map={"unknown": "3"}).heeded([(MEMBER, named("gat-layer"))]),
            "--map names what has no effect here\n  got: 'unknown=3'\n  fix: one of w, a, heads, width",
        ),
    ],
)
def test_what_nobody_would_hear_is_three_lines(wrong, told: str) -> None:
    with pytest.raises(RegardError) as caught:
        wrong()
    assert str(caught.value) == told
