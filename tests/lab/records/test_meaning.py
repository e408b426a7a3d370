"""Digests that comments and docstrings do not change."""

import ast

import pytest

from regard.lab.records.meaning import digest, meaning, without_docstrings

BEFORE = b"def f(x):\n    return x + 1\n"


@pytest.mark.parametrize(
    ("after", "same"),
    [
        (b'def f(x):\n    """Adds."""\n    return x + 1  # one\n', True),
        (b'"""A file."""\n\n\ndef f(x):\n    return x + 1\n', True),
        (b"def f(x):\n    return x + 2\n", False),
        (b"def f(x):\n    return x - 1\n", False),
        (b"def f(y):\n    return y + 1\n", False),
    ],
    ids=["docstring and comment", "file docstring", "constant", "operator", "name"],
)
def test_only_what_python_runs_counts(after, same):
    assert (digest(BEFORE) == digest(after)) is same


def test_the_sentence_under_a_field_is_no_code():
    first = b'class S:\n    a: int = 1\n    "Old words."\n'
    assert digest(first) == digest(first.replace(b"Old", b"New"))


def test_a_string_that_is_used_counts():
    assert digest(b'x = "a"') != digest(b'x = "b"')


def test_other_files_are_taken_byte_by_byte():
    assert digest(b"// a", python=False) != digest(b"// b", python=False)


def test_files_of_the_package_have_a_digest_and_others_have_none():
    found = meaning(["claims.py", "gone.py", "mine.py"])
    assert list(found) == ["claims.py"] and len(found["claims.py"]) == 12


def test_a_body_that_was_only_a_docstring_is_empty():
    assert ast.dump(without_docstrings(ast.parse('"""Only this."""'))) == ast.dump(ast.parse(""))
