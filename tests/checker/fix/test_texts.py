"""Edits of a text at the places of its syntax tree."""

import ast

from regard.checker.fix.texts import CodeChange, CodeText, TextEdit, atom, called, difference

TEXT = "def f(é, b):\n    # Ä comment\n    return é   +  b   # kept\n"


def test_what_is_not_edited_stays_to_the_last_space() -> None:
    code = CodeText(TEXT)
    found = next(n for n in ast.walk(code.tree) if isinstance(n, ast.Name) and n.id == "b")
    assert code.of(found) == "b"
    assert code.applied(code.change("name", found, "é")) == TEXT.replace("+  b", "+  é")


def test_several_edits_do_not_move_each_other() -> None:
    code = CodeText("a = b + c\n")
    names = [n for n in ast.walk(code.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    swap = CodeChange("x", 1, (code.replace(names[0], "ccc"), code.replace(names[1], "bb")))
    assert code.applied(swap) == "a = ccc + bb\n"


def test_more_text_is_a_larger_change() -> None:
    assert CodeChange("x", 1, (TextEdit(0, 4, "no"),)).size == 1
    assert CodeChange("x", 1, (TextEdit(0, 0, "n" * 40),)).size == 2


def test_brackets_only_where_they_are_needed() -> None:
    assert [atom(ast.parse(t, mode="eval").body, t) for t in ("a", "f(a)", "a[0]", "-a")] == [
        "a",
        "f(a)",
        "a[0]",
        "(-a)",
    ]
    call = ast.parse("x.y.softmax(0)", mode="eval").body
    assert isinstance(call, ast.Call) and called(call) == "softmax"


def test_a_difference_is_a_unified_diff() -> None:
    assert difference("a\nb\nc\nd\n", "a\nb\nx\nd\n", "mine.py").splitlines() == [
        "--- mine.py (yours)",
        "+++ mine.py (mended)",
        "@@ -2,3 +2,3 @@",
        " b",
        "-c",
        "+x",
        " d",
    ]
