from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.lab import registry

OWN = """
from regard.lab.experiment import Experiment
EXPERIMENT = Experiment(question="?", method="", see="", claims=(), presets={"quick": None}, seconds=1, run=lambda a, b: iter(()))
"""


def test_every_file_of_the_folder_is_an_experiment_with_both_presets() -> None:
    for experiment in registry.everything():
        assert set(experiment.presets) == {"quick", "full"} and experiment.claims, experiment.name


def test_no_item_has_two_owners_and_every_owned_item_exists() -> None:
    owned = [item for experiment in registry.everything() for item in experiment.answers]
    assert len(owned) == len(set(owned)) and set(owned) <= set(range(1, 94)) - {42}


def test_all_quick_presets_together_take_eleven_minutes_at_most() -> None:
    assert sum(experiment.seconds for experiment in registry.everything()) <= 660


def test_dashes_and_underscores_are_one() -> None:
    assert (
        registry.find("scaled_dot_product")[0].name
        == registry.find("scaled-dot-product")[0].name
        == "scaled-dot-product"
    )


def test_a_file_of_ones_own_is_an_experiment(tmp_path: Path) -> None:
    path = tmp_path / "my_idea.py"
    path.write_text(OWN)
    experiment, source = registry.find(str(path))
    assert (experiment.name, source) == ("my-idea", path)


def test_a_file_of_ones_own_finds_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "beside_it.py").write_text("NAME = 'so'\n")
    (tmp_path / "my_idea.py").write_text("from beside_it import NAME\n" + OWN.replace('"?"', "NAME"))
    assert registry.find(str(tmp_path / "my_idea.py"))[0].question == "so"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such experiment file\n  got: '{path}'\n  fix: give the path of a Python file that defines EXPERIMENT"),
        ("x = 1", "the file defines no experiment\n  got: mine.py without EXPERIMENT\n  fix: set EXPERIMENT = Experiment(question=…, …)"),
        ("from regard.lab import Claim\nClaim('a', low=3, high=1)", "the claim on 'a' has a band that cannot hold or cannot fail\n  got: low=3, high=1 (mine.py, line 2)\n  fix: give a low, a high, or both with low at most high"),
        ("1 / 0", "the experiment file does not load\n  got: ZeroDivisionError: division by zero (mine.py, line 1)\n  fix: make 'python {path}' run without an error"),
    ],
)  # fmt: skip
def test_a_bad_file_is_told_in_three_lines(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "mine.py"
    if content is not None:
        path.write_text(content)
    with pytest.raises(RegardError) as caught:
        registry.find(str(path))
    assert str(caught.value) == message.format(path=path)


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(RegardError) as caught:
        registry.find("scaled-dot")
    assert (
        str(caught.value)
        == "no experiment of that name\n  got: 'scaled-dot'\n  fix: did you mean 'scaled-dot-product'?"
    )
