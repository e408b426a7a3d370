"""Programs of named steps: run, replaced, rewired, nested."""

from regard.checker.grammar.program import Program, ProgramStep, Rewired, Value

INNER = Program(("a", "b"), (ProgramStep("sum", ("a", "b"), "s", lambda a, b: a + b),), ("s",))
OUTER = Program(
    ("x", "y"),
    (
        ProgramStep("both", ("x", "y"), ("x2", "y2"), lambda x, y: (2 * x, 2 * y)),
        ProgramStep("first", ("x2",), "one", lambda x: x + 1, key="step"),
        ProgramStep("second", ("y2",), "two", lambda y: y + 1, key="step"),
        ProgramStep("inner", ("one", "two"), "out", INNER),
    ),
    ("out",),
    {"one": Value(noun="the first"), "two": Value(noun="the second")},
)


def test_steps_run_in_order_and_a_program_is_a_function() -> None:
    assert OUTER.run({"x": 1, "y": 10}, {})["out"] == 24
    assert OUTER(1, 10) == 24


def test_a_step_is_replaced_by_its_name_or_together_by_its_key() -> None:
    assert OUTER.run({"x": 1, "y": 10}, {"first": lambda x: 0})["out"] == 21
    assert OUTER.run({"x": 1, "y": 10}, {"step": lambda x: 0})["out"] == 0


def test_a_rewired_step_takes_other_values() -> None:
    assert OUTER.run({"x": 1, "y": 10}, {"second": Rewired(("x2",), lambda x: x)})["out"] == 5
    assert OUTER.replaced({"second": Rewired(("x2",), lambda x: x)})(1, 10) == 5


def test_what_stands_before_a_step_comes_latest_first() -> None:
    assert list(OUTER.before(OUTER.steps[2])) == ["one", "x2", "y2", "x", "y"]
