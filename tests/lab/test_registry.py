import sys
from dataclasses import dataclass
from pathlib import Path
from typing import get_type_hints

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


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_each_file_finds_what_lies_beside_it(tmp_path: Path) -> None:
    paths, found = list(sys.path), []
    for number in (2, 3):
        written(tmp_path / str(number) / "scale.py", f"SCALE = {number}\n")
        mine = written(tmp_path / str(number) / "mine.py", "from scale import SCALE\n")
        found.append(registry.imported(mine, "tried").SCALE)
    assert found == [2, 3] and "scale" not in sys.modules and sys.path == paths


def test_a_file_of_a_package_finds_the_rest_of_it(tmp_path: Path) -> None:
    written(tmp_path / "parts" / "__init__.py", "")
    written(tmp_path / "parts" / "scale.py", "SCALE = 5\n")
    mine = written(tmp_path / "parts" / "mine.py", "from .scale import SCALE\n")
    assert registry.imported(mine, "tried").SCALE == 5


def test_its_classes_know_their_module(tmp_path: Path) -> None:
    text = "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass Own:\n    size: int = 3\n"
    module = registry.imported(written(tmp_path / "mine.py", text), "tried")
    assert module.__name__ == "tried_mine" and sys.modules["tried_mine"] is module
    assert get_type_hints(module.Own) == {"size": int}
    assert dataclass(module.Own)().size == 3


def test_what_is_installed_below_the_folder_is_left_alone(tmp_path: Path, monkeypatch) -> None:
    written(tmp_path / "venv" / "installed_once.py", "THING = object()\n")
    monkeypatch.syspath_prepend(tmp_path / "venv")
    mine = written(tmp_path / "mine.py", "import installed_once\nfrom installed_once import THING\n")
    first = registry.imported(mine, "tried").THING
    assert "installed_once" in sys.modules and registry.imported(mine, "tried").THING is first
    del sys.modules["installed_once"]


def test_after_an_error_all_is_as_before(tmp_path: Path) -> None:
    paths, known = list(sys.path), set(sys.modules)
    written(tmp_path / "scale.py", "SCALE = 2\n")
    with pytest.raises(ZeroDivisionError):
        registry.imported(written(tmp_path / "mine.py", "import scale\n1 / 0\n"), "tried")
    assert sys.path == paths and "scale" not in sys.modules
    assert set(sys.modules) - known <= {"tried_mine"}
