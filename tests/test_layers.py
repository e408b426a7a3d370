"""The rules of the house, read from the syntax trees; and proof that each of them can fail."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "regard"

WORDS = {"errors", "shapes", "claims", "files", "arguments"}
SIBLINGS = {"core", "data", "training", "generation"}
FACADE = "regard"
MAY = dict.fromkeys(WORDS | SIBLINGS, WORDS)
MAY |= {"models": WORDS | {"core"}, "checker": WORDS | {"core"}, "theory": WORDS | {"core", "models"}}
MAY |= {"estimators": WORDS | {"core", "models", "training"}}
MAY |= {"lab": WORDS | SIBLINGS | {"models", "checker", "theory", "estimators", FACADE}}
MAY |= {"experiments": MAY["lab"] | {"lab"}}
MAY |= {"web": WORDS | {"lab", FACADE}}
MAY |= {"cli": set(MAY) | {FACADE}, "__main__": {"cli"}, "__init__": set(MAY)}

LIBRARY = {"torch", "numpy"}
LAB = LIBRARY | {"rich", "matplotlib", "jinja2"}
INSTALLED = dict.fromkeys(MAY, LIBRARY) | dict.fromkeys(("lab", "experiments", "cli"), LAB)
INSTALLED["estimators"] = LIBRARY | {"sklearn"}
"What a module may load as soon as it is imported; inside functions it may try anything."


def violations(source: Path) -> list[str]:
    """Each import that breaks the rule, as `file:line imports name`."""
    found = []
    for path in sorted(source.rglob("*.py")):
        file = path.relative_to(source)
        if not (path.parent / "__init__.py").exists():
            found.append(f"{file} lies in no package")
        here = file.parts[0].removesuffix(".py")
        if here not in MAY:
            found.append(f"{file} is outside the plan")
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        late = {id(node) for block in ast.walk(tree) if is_late(block) for node in ast.walk(block)}
        for node in ast.walk(tree):
            for name in imported(node, file):
                if breaks(name, here, deferred=id(node) in late):
                    found.append(f"{file}:{node.lineno} imports {name}")
    return found


def is_late(node: ast.AST) -> bool:
    """A function body, or a block that only type checkers read."""
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.dump(node.test)
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def imported(node: ast.AST, file: Path) -> Iterator[str]:
    """The full names that a statement imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        package = ["regard", *file.parts[:-1]]
        parts = package[: len(package) - node.level + 1] if node.level else []
        parts += node.module.split(".") if node.module else []
        whole = ".".join(parts)
        yield from (f"{whole}.{alias.name}" for alias in node.names) if whole == "regard" else [whole]


def breaks(name: str, here: str, *, deferred: bool) -> bool:
    """Whether the package `here` may not import `name`."""
    top, _, rest = name.partition(".")
    if top == "regard":
        there = rest.split(".")[0]
        return there != here and (there if there in MAY else FACADE) not in MAY[here]
    return not deferred and top not in sys.stdlib_module_names and top not in INSTALLED[here]


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
        ("web/a.py", "from regard.models import gpt", "web/a.py:1 imports regard.models"),
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
    plant(tmp_path, file, statement)
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
    plant(tmp_path, file, statement)
    assert violations(tmp_path) == []


def plant(source: Path, file: str, statement: str) -> None:
    (source / file).parent.mkdir(parents=True, exist_ok=True)
    for package in ("", "core", "core/backends", str(Path(file).parts[0])):
        if (source / package).is_dir():
            (source / package / "__init__.py").touch()
    (source / file).write_text(statement, encoding="utf-8")
