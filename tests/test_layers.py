"""The package keeps the rules of the house; and each rule is shown to fail on a planted fault."""

from collections.abc import Callable
from pathlib import Path

import pytest

from house import SOURCE, WORDS, House, crowds, cycles, homonyms, leaks, shortcuts, violations, visits


@pytest.mark.slow
def test_every_import_goes_down() -> None:
    assert len(list(SOURCE.rglob("*.py"))) > len(WORDS), "no source was read"
    found = violations(SOURCE)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("file", "statement", "found"),
    [
        (
            "core/a.py",
            "from regard.models.gpt.model import GPT",
            "core/a.py:1 imports regard.models.gpt.model",
        ),
        ("core/a.py", "import regard.data.sets.text", "core/a.py:1 imports regard.data.sets.text"),
        ("core/a.py", "from regard import lab", "core/a.py:1 imports regard.lab"),
        ("core/a.py", "from regard import attend", "core/a.py:1 imports regard.attend"),
        ("core/a.py", "import regard", "core/a.py:1 imports regard"),
        ("core/a.py", "from ..models import gpt", "core/a.py:1 imports regard.models"),
        ("core/backends/a.py", "from ...lab import store", "core/backends/a.py:1 imports regard.lab"),
        ("core/a.py", "from .. import lab", "core/a.py:1 imports regard.lab"),
        ("models/a.py", "def f():\n    from regard.lab import store", "models/a.py:2 imports regard.lab"),
        ("checker/a.py", "from regard.models import gpt", "checker/a.py:1 imports regard.models"),
        ("errors.py", "from regard.core import attend", "errors.py:1 imports regard.core"),
        (
            "lab/a.py",
            "from regard.experiments.text import corpus",
            "lab/a.py:1 imports regard.experiments.text",
        ),
        ("models/a.py", "from regard.experiments import text", "models/a.py:1 imports regard.experiments"),
        ("web/a.py", "from regard.experiments import text", "web/a.py:1 imports regard.experiments"),
        ("web/a.py", "from regard.cli import main", "web/a.py:1 imports regard.cli"),
        ("lab/a.py", "from regard.web import server", "lab/a.py:1 imports regard.web"),
        ("lab/a.py", "import starlette", "lab/a.py:1 imports starlette"),
        ("estimators/a.py", "from regard.data import text", "estimators/a.py:1 imports regard.data"),
        ("models/a.py", "from regard.estimators import a", "models/a.py:1 imports regard.estimators"),
        ("models/a.py", "import sklearn.base", "models/a.py:1 imports sklearn.base"),
        ("core/a.py", "import rich", "core/a.py:1 imports rich"),
        ("core/a.py", "from scipy.special import erf", "core/a.py:1 imports scipy.special"),
        ("lab/a.py", "import networkx", "lab/a.py:1 imports networkx"),
        ("helpers.py", "", "helpers.py is outside the plan"),
        ("core/deep/a.py", "", "core/deep/a.py lies in no package"),
    ],
)
def test_the_rule_sees_a_planted_fault(tmp_path: Path, file: str, statement: str, found: str) -> None:
    plant_alone(tmp_path, file, statement)
    assert violations(tmp_path) == [found]


@pytest.mark.parametrize(
    ("file", "statement"),
    [
        (
            "core/a.py",
            "from regard.errors import RegardError\nfrom regard.core import edges\nimport torch, os.path",
        ),
        (
            "core/backends/a.py",
            "from . import reference\nfrom ..support import Full\nfrom ...errors import nearest",
        ),
        ("theory/a.py", "from regard.models import gpt"),
        (
            "estimators/a.py",
            "from regard.models import gpt\nfrom regard.training import Plan\nimport sklearn.base",
        ),
        ("lab/a.py", "from regard import attend\nfrom regard.data import text\nimport rich.table"),
        ("data/a.py", "def f():\n    import tokenizers"),
        ("core/a.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import networkx"),
    ],
)
def test_the_rule_lets_the_plan_pass(tmp_path: Path, file: str, statement: str) -> None:
    plant_alone(tmp_path, file, statement)
    assert violations(tmp_path) == []


RULES = (leaks, visits, shortcuts, crowds, homonyms, cycles)


@pytest.fixture(scope="module")
def house() -> House:
    return House(SOURCE)


@pytest.mark.parametrize("rule", RULES)
def test_the_house_keeps_its_rules(house: House, rule: Callable[[House], list[str]]) -> None:
    assert len(house.modules) > 200, "no source was read"
    found = rule(house)
    assert not found, "\n".join(found)


LONELY = {
    "experiments/text/tales/experiment.py": "from regard.data import tale",
    "data/tale.py": "",
}
PLANTED: list[tuple[Callable[[House], list[str]], dict[str, str], str]] = [
    (leaks, LONELY, "regard.data.tale serves regard.experiments.text.tales alone"),
    (
        leaks,
        {"experiments/text/tales.py": "EXPERIMENT = 1\nfrom regard.experiments.text import corpus", "experiments/text/corpus.py": ""},
        "regard.experiments.text.corpus serves regard.experiments.text.tales alone",
    ),
    (
        visits,
        {"experiments/text/a/experiment.py": "def f():\n    from ..b import figures", "experiments/text/b/figures.py": ""},
        "regard.experiments.text.a.experiment imports regard.experiments.text.b.figures",
    ),
    (
        visits,
        {"experiments/text/a.py": "EXPERIMENT = 1\nimport regard.experiments.graphs.shared", "experiments/graphs/shared.py": ""},
        "regard.experiments.text.a imports regard.experiments.graphs.shared",
    ),
    (shortcuts, {"lab/book/book.py": "import_module('regard.experiments.text')"}, "regard.lab.book.book: regard.experiments.text"),
    (crowds, {f"core/{letter}.py": "" for letter in "abcdefghijklmnopqrstu"}, "core: 21 files"),
    (crowds, {f"core/gat_{part}.py": "" for part in ("a", "b", "c")}, "core: 3 files gat_*"),
    (crowds, {"core/a.py": "\n" * 401}, "regard.core.a: 401 lines"),
    (homonyms, {"core/a.py": "class Plan: ...", "data/b.py": "class Plan: ..."}, "Plan: regard.core.a, regard.data.b"),
    (
        cycles,
        {"core/a.py": "from regard.core import b", "core/b.py": "from .c import x", "core/c.py": "def f():\n    import regard.core.a"},
        "regard.core.a -> regard.core.b -> regard.core.c",
    ),
    (
        cycles,
        {"core/__init__.py": "from regard.core.a import x", "core/a.py": "from regard.core import x"},
        "regard.core -> regard.core.a",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "files", "found"), PLANTED)
def test_a_planted_fault_is_seen(
    tmp_path: Path, rule: Callable[[House], list[str]], files: dict[str, str], found: str
) -> None:
    plant(tmp_path, files)
    assert rule(House(tmp_path)) == [found]


ALLOWED: list[tuple[Callable[[House], list[str]], dict[str, str]]] = [
    (leaks, LONELY | {"data/__init__.py": "from regard.data.tale import x"}),
    (leaks, LONELY | {"lab/text.py": "from regard.data import tale"}),
    (
        leaks,
        {"experiments/text/a.py": "EXPERIMENT = 1\nfrom . import corpus", "experiments/text/b.py": "EXPERIMENT = 1\nfrom . import corpus", "experiments/text/corpus.py": ""},
    ),
    (visits, {"experiments/text/a/experiment.py": "from . import figures\nfrom .. import corpus", "experiments/text/a/figures.py": "", "experiments/text/corpus.py": ""}),
    (shortcuts, {"lab/registry.py": "FOLDER = 'regard.experiments'"}),
    (crowds, {"core/gat_a.py": "", "core/gat_b.py": "", "core/gat.py": ""}),
    (homonyms, {"experiments/text/a.py": "class Settings: ...", "experiments/text/b.py": "class Settings: ..."}),
    (cycles, {"core/__init__.py": "from regard.core.a import x", "core/a.py": "from regard.core.b import x", "core/b.py": ""}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "files"), ALLOWED)
def test_what_the_plan_allows_passes(
    tmp_path: Path, rule: Callable[[House], list[str]], files: dict[str, str]
) -> None:
    plant(tmp_path, files)
    assert rule(House(tmp_path)) == []


def plant(source: Path, files: dict[str, str]) -> None:
    for file, text in files.items():
        path = source / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        for folder in path.relative_to(source).parents:
            (source / folder / "__init__.py").touch()


def plant_alone(source: Path, file: str, statement: str) -> None:
    (source / file).parent.mkdir(parents=True, exist_ok=True)
    for package in ("", "core", "core/backends", str(Path(file).parts[0])):
        if (source / package).is_dir():
            (source / package / "__init__.py").touch()
    (source / file).write_text(statement, encoding="utf-8")
