"""The pages about scale say what the scripts of bench/scale compute."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "bench" / "scale"


def script(name: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def beside(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))


def written(page: str, name: str) -> str:
    """What a page has between the marks of a name."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    (found,) = re.findall(rf"<!-- {name} -->\n(.*?)<!-- end of {name} -->", text, re.DOTALL)
    return found


def test_a_thousand_gpus_on_paper() -> None:
    training = script("training")
    cluster = training.Cluster()
    assert written("scale-training.md", "computed") == "".join(training.computed(cluster))
    assert written("scale.md", "gpus") == training.summary(cluster)


def test_ten_billion_edges_on_paper() -> None:
    growth = script("growth")
    assert written("scale.md", "on paper") == growth.paper()
    said = f"({growth.SORTING:.1e} for sorting, {growth.DRAWN:.1e} for a drawn edge)".replace("e-0", "e-")
    assert said in (ROOT / "docs" / "scale.md").read_text("utf-8")


@pytest.mark.slow
def test_a_thousand_simulated_workers() -> None:
    """In a process of its own: a quarter of a million simulated runs are slow where every type is checked."""
    done = subprocess.run(
        [sys.executable, SCRIPTS / "fanout.py"], check=True, capture_output=True, text=True, timeout=300
    )
    assert written("scale.md", "simulated") == done.stdout.rstrip("\n") + "\n"


def test_fewer_simulated_seeds_give_other_figures() -> None:
    """What would be noticed: the table is of these runs and no others."""
    fanout = script("fanout")
    few = fanout.table(fanout.outcomes(2, fanout.LANDING))
    assert f"Of {2 * len(fanout.SECONDS)} runs 0 are lost" in few and few != written("scale.md", "simulated")


def test_a_page_without_marks_is_left_as_it_is() -> None:
    page = script("_page")
    assert page.put("a\n<!-- x -->\nold\n<!-- end of x -->\nb", "x", "new\n") == (
        "a\n<!-- x -->\nnew\n<!-- end of x -->\nb"
    )
    with pytest.raises(SystemExit, match="the page has no marks 'y'"):
        page.put("a", "y", "new\n")
