"""The picture of a mistake."""

import numpy as np

from regard.checker.report.example import Example
from regard.lab.book.docs.picture import STRONGEST, beside


def example(right: list, wrong: list) -> Example:
    return Example("weights", np.array(right), np.array(wrong), weights=True)


def test_cells_that_differ_are_outlined_and_no_others() -> None:
    drawn = beside(example([[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.2, 0.8]]))
    assert drawn.count("<rect") - drawn.count("differs") == 8 and drawn.count("differs") == 2
    assert ">0.20</text>" in drawn and ">right</text>" in drawn and ">with the mistake</text>" in drawn


def test_the_largest_number_is_strongest_and_signs_have_colours_of_their_own() -> None:
    drawn = beside(example([[2.0]], [[-4.0]]))
    assert f'fill="var(--series-1)" fill-opacity="{STRONGEST / 2:.2f}"' in drawn
    assert f'fill="var(--series-4)" fill-opacity="{STRONGEST:.2f}"' in drawn


def test_what_is_no_number_is_named_and_leaves_the_others_their_strength() -> None:
    drawn = beside(example([[1.0, 1.0]], [[np.nan, -np.inf]]))
    assert ">NaN<" in drawn and ">−∞<" in drawn and drawn.count(f'fill-opacity="{STRONGEST:.2f}"') == 2


def test_grids_of_two_shapes_stand_beside_each_other_without_outlines() -> None:
    drawn = beside(example([[1.0, 2.0]], [[1.0]]))
    assert "differs" not in drawn and drawn.count("<rect") == 3


def test_next_to_nothing_has_no_sign() -> None:
    assert ">0.00<" in beside(example([[1.0]], [[-0.001]])) and "−0.00" not in beside(
        example([[1.0]], [[-0.001]])
    )


def test_what_is_printed_alike_is_not_outlined() -> None:
    assert "differs" not in beside(example([[0.501]], [[0.502]])) and "differs" in beside(
        example([[0.5]], [[0.51]])
    )
