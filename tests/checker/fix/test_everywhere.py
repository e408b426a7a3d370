"""The same change is made at all places that differ in names alone."""

from regard.checker.fix import calls, names, patterns
from regard.checker.fix.everywhere import everywhere
from regard.checker.fix.texts import CodeText


def made(kind, text: str) -> list[str]:
    code = CodeText(text)
    return [code.applied(change) for change in everywhere(code, kind(code, [code.tree]))]


def test_keys_and_values_are_changed_together() -> None:
    wrong = "def f(k, v, g):\n    k = k.repeat(1, g)\n    v = v.repeat(1, g)\n    return k @ v\n"
    right = wrong.replace("repeat(1, g)", "repeat_interleave(g, dim=-1)")
    assert right in made(patterns.copies, wrong)


def test_one_function_may_be_changed_and_the_other_not() -> None:
    one = "def f(q, k):\n    return q.half() @ k.half()\n"
    text = one + one.replace("f(", "g(")
    found = made(calls.dropped, text)
    assert one.replace(".half()", "") + one.replace("f(", "g(") in found
    assert text.replace(".half()", "") in found


def test_what_stands_inside_the_other_is_not_changed_twice() -> None:
    assert made(calls.dropped, "y = x.half().half()") == []


def test_names_and_single_places_say_nothing_about_others() -> None:
    assert made(names.replaced, "def f(q, k):\n    return q @ k, q + k\n") == []
    assert made(patterns.copies, "k = k.repeat(1, g)\n") == []
