"""Twenty-one files that are right only while they are checked: none is called correct."""

from pathlib import Path

import pytest

from regard.checker.selftest import header
from regard.checker.target import check_file

FILES = sorted((Path(__file__).parents[1] / "checker" / "cheating").glob("*.py"))
WATCHING = (
    "asks_the_modules",
    "hidden_in_a_string",
    "looks_at_the_stack",
    "looks_at_the_clock",
    "counts_the_threads",
)


def test_there_are_twenty_one() -> None:
    assert len(FILES) == 21


@pytest.mark.parametrize(
    "each_way",
    [pytest.param("forked", marks=pytest.mark.slow), pytest.param("started anew", marks=pytest.mark.proof)],
    indirect=True,
)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_cheat_passes(file: Path, each_way: str) -> None:
    report = check_file(str(file), contract=header(file)["contract"])
    assert report.code != 0, report.verdicts[0].sentence
    if file.stem in WATCHING:
        (finding,) = report.verdicts[0].findings
        assert finding.slug == "looks-around"
        assert finding.remedy == "leave that out of what is checked"
