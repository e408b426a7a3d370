"""The goals of a trial; what it runs is tried in test_search."""

from regard.checker.fix.trial import TROUBLE, FixGoal
from regard.checker.process.session import Lost, Raised
from regard.checker.workbench import Unfit


def test_without_steps_the_goal_is_the_reference() -> None:
    assert FixGoal() == FixGoal(steps=(), laws=())


def test_what_a_changed_file_may_end_in_ends_no_search() -> None:
    assert {Raised, Lost, Unfit} <= set(TROUBLE)
