"""Comparisons on a GPU, as far as a machine without one can tell: they load, refuse, and leave no record."""

import ast
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from regard import Edges
from regard.errors import RegardError
from regard.lab.bench import load

HERE = Path(__file__).parents[2] / "bench" / "gpu"
NAMES = ["attention", "generation", "graphs", "shakespeare", "training"]


def script(name: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(f"gpu_{name}", HERE / f"{name}.py")
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture
def record(tmp_path: Path, monkeypatch) -> ModuleType:
    """The script that keeps the record, with comparisons of its own and a folder of its own."""
    file = "\n".join((
        "from regard.claims import Claim",
        "from regard.lab.bench import BenchMetric, Comparison, Reading",
        "def run():",
        "    yield BenchMetric(name='two', value=Reading.of([2.0]))",
        "COMPARISON = Comparison(question='?', bars=(Claim(name='two', high={high}),), run=run)",
    ))  # fmt: skip
    (tmp_path / "plain_one.py").write_text(file.format(high="3.0"))
    (tmp_path / "other.py").write_text(file.format(high="1.0"))
    module = script("_run")
    monkeypatch.setattr(module, "HERE", tmp_path)
    return module


def kept(record: ModuleType) -> list[dict]:
    return [
        json.loads(line) for file in record.HERE.glob("*.jsonl") for line in file.read_text().splitlines()
    ]


def test_every_comparison_loads_and_its_bars_have_a_source() -> None:
    known = load(HERE)
    assert list(known) == NAMES
    for one in known.values():
        assert one.question.endswith("?") and one.bars and all(bar.source for bar in one.bars)


@pytest.mark.parametrize(
    ("words", "gpu", "status", "told"),
    [
        (["--help"], False, 0, ""),
        (["grahps"], True, 2, "no comparison of that name\n  got: 'grahps'\n  fix: name some of: other, plain-one\n"),
        ([], False, 2, "these comparisons need a GPU\n  got: torch finds none\n"
                       "  fix: run them where one is, or 'regard bench' here\n"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_leaves_no_record(
    record: ModuleType, words: list[str], gpu: bool, status: int, told: str, capsys, monkeypatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    assert record.main(words) == status and capsys.readouterr().err == told
    assert not list(record.HERE.glob("*.jsonl"))


def test_a_line_of_the_record_says_of_what_code_it_is(record: ModuleType, monkeypatch) -> None:
    monkeypatch.setattr(record, "require", lambda words, known: None)
    assert record.main(["plain-one"]) == 0 and record.main([]) == 1, "the bar of the other is missed"
    first, missed, again = kept(record)
    assert (first["comparison"], first["state"], missed["state"]) == ("plain-one", "held", "failed")
    assert first["code"] == again["code"] != missed["code"] and first["commit"] == ""
    package = record.HERE / "package"
    package.mkdir()
    monkeypatch.setattr("regard.__file__", str(package / "__init__.py"))
    codes = set()
    for content in ("one", "two"):
        (package / "used.py").write_text(content)
        codes.add(record.origin("plain-one")["code"])
    assert len(codes | {first["code"]}) == 3, "all of the package's files count"


def test_the_commit_is_that_of_the_folder(record: ModuleType, monkeypatch) -> None:
    monkeypatch.setattr(record, "HERE", HERE)
    words = ["git", "-C", str(HERE), "rev-parse", "--short=12", "HEAD"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is no clone of the repository")
    assert record.origin("graphs")["commit"].removesuffix("-dirty") == done.stdout.strip()


BLOCKED = """
import sys
allowed = {"torch", "torchgen", "functorch", "numpy", "triton", "regard", *sys.argv[1].split()}
class Blocker:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in allowed or top.startswith("_"):
            return None
        raise ModuleNotFoundError(f"{name} is not installed", name=name)
sys.meta_path.insert(0, Blocker())
try:
    import rich
except ModuleNotFoundError:
    import pathlib
    from regard.lab.bench import load
    print(*load(pathlib.Path(sys.argv[2])))
    for words in sys.argv[3:]:
        exec(words)
"""
OF_TORCH = (
    "sympy mpmath networkx jinja2 markupsafe fsspec filelock typing_extensions setuptools pkg_resources"
)
"What comes with torch wherever it is installed."


def imports(file: Path) -> set[str]:
    """What a comparison imports of ours, when it is loaded and when it runs."""
    found = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom))
    return {ast.unparse(node) for node in found if str(node.module).split(".")[0] == "regard"}


@pytest.mark.slow
def test_torch_numpy_and_triton_are_enough() -> None:
    """The comparisons load, and what they import when they run does too, with all else blocked."""
    words = sorted(set().union(*(imports(HERE / f"{name}.py") for name in NAMES)))
    assert "from regard import GPT, GPTConfig" in words and len(words) > 10
    command = [sys.executable, "-c", BLOCKED, OF_TORCH, str(HERE), *words]
    around = os.environ | {"PYTHONPATH": str(HERE.parents[1] / "src")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=around)
    assert (done.returncode, done.stdout.split()) == (0, NAMES), done.stderr
    refused = subprocess.run(
        [*command, "import scipy"], capture_output=True, text=True, check=False, env=around
    )
    assert "scipy is not installed" in refused.stderr


@pytest.mark.parametrize("kind", ["gat", "gcn"])
def test_layers_over_skewed_graphs_are_held_to_float64(kind: str, monkeypatch) -> None:
    graphs = script("graphs")
    monkeypatch.setattr(graphs, "DEVICE", "cpu")
    skew = {}
    for name, powers in graphs.SKEWS.items():
        edges = Edges(*graphs.ends(100, 3000, powers), nodes=100, duplicates="keep")
        skew[name] = max(int(edges.targets.count.max()), int(edges.sources.count.max()))
        assert 0 < graphs.difference(kind, edges, graphs.LONG_ROWS) < graphs.LONG_ROWS
    even = Edges(*graphs.ends(100, 3000, (1, 1)), nodes=100, duplicates="keep")
    assert min(skew.values()) > 3 * int(even.targets.count.max()), "one of them is not skewed"
    with pytest.raises(RegardError, match="do not compute the same thing"):
        graphs.difference(kind, edges, 0.0)


def test_the_floor_of_shakespeare_on_paper_is_that_of_the_readme() -> None:
    lines = [json.loads(line) for line in (HERE / "2026-11-16.jsonl").read_text().splitlines()]
    rate = next(one["floor"]["rate"] for one in lines if one["comparison"] == "training")
    took = next(one["value"]["median"] for one in lines if one["name"] == "seconds")
    work = script("shakespeare").work()
    least = work["operations"] / rate
    text = " ".join((HERE.parent / "README.md").read_text().split())
    assert f"| {took / least:.1f}, on paper |" in text
    operations = f"{work['operations']:.2e}".replace("e+", "e")
    assert (
        f"make {operations} operations in 1,199 steps, {least:.2f} s at the {rate / 1e12:.0f} TFLOP/s" in text
    )
