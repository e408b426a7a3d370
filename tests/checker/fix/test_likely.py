"""The name of a mistake says which changes come first."""

import pytest

from regard.checker.contracts.table import CONTRACTS
from regard.checker.fix.likely import likely


@pytest.mark.parametrize(
    ("slug", "kind"),
    [
        ("scale-width", "scale"),
        ("softmax-all-edges", "grouped"),
        ("self-loops-missing", "loops"),
        ("across-batch", "across"),
        ("mask-not-sliced", "sliced"),
        ("mean-of-logs", "mixed"),
        ("sum-overwritten", "summed"),
        ("direction-reversed", "targets-exchanged"),
        ("out-projection-transposed", "transpose"),
    ],
)
def test_what_belongs_to_a_mistake_comes_first(slug: str, kind: str) -> None:
    assert likely((slug,))[0] == kind


def test_every_known_mistake_has_a_change_that_belongs_to_it() -> None:
    slugs = {mistake.slug for contract in CONTRACTS for mistake in contract.mistakes}
    assert [slug for slug in sorted(slugs) if not likely((slug,))] == []


def test_no_kind_comes_twice_and_the_first_mistake_leads() -> None:
    both = likely(("scale-missing", "mask-inverted"))
    assert len(set(both)) == len(both) and both[: len(likely(("scale-missing",)))] == likely(
        ("scale-missing",)
    )
