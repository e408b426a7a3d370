"""What a name needs, and nothing that works."""

import ast

import pytest

from regard.checker.reading.definitions import definitions, free, is_program, missing

TEXT = """import torch
n_embd = 8
text = open("input.txt").read()
chars = sorted(set(text))

class Head:
    size = n_embd

@torch.jit.script
class Heads(Head):
    def f(self, x):
        width = x
        return helper(width)

def helper(x):
    return x

for step in range(3):
    helper(step).backward()
"""


@pytest.mark.parametrize(
    ("text", "program"),
    [
        (TEXT, True),
        ("x = open('a').read()", True),
        ("import argparse\nargs = argparse.ArgumentParser().parse_args()", True),
        ("if __name__ == '__main__':\n    open('a').read()", False),
        ("def f():\n    open('a').read()", False),
        ("TABLE = [i * 2 for i in range(3)]", False),
    ],
)
def test_a_program_is_told_from_a_module(text: str, program: bool) -> None:
    assert is_program(ast.parse(text)) is program


def test_only_what_a_name_needs_stays_at_its_lines() -> None:
    kept = definitions(TEXT, ["Heads"]).splitlines()
    wanted = TEXT.splitlines()
    assert [i for i, line in enumerate(kept) if line] == [
        i
        for i, line in enumerate(wanted)
        if line and not line.startswith(("text", "chars", "for", "    helper"))
    ]
    assert len(kept) == len(wanted)


def test_what_is_set_only_as_a_program_is_found() -> None:
    text = "def f():\n    return d_k + a\na = 1\nif __name__ == '__main__':\n    a = 5\n    d_k = 64\n    print(d_k)\n"
    assert missing(text, ["f"]) == "d_k = 64"
    assert missing(text, []) == ""


def test_names_of_arguments_and_of_a_function_itself_are_not_free() -> None:
    node = ast.parse("def f(x, y=Z):\n    w = x + G\n    return [w for w in w] + (lambda q: q + H)(1)").body[
        0
    ]
    assert free(node) == {"Z", "G", "H"}
