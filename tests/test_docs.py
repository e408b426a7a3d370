"""The guides and the notebooks run as they stand."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from regard.cli.parser import parser
from regard.lab import registry

ROOT = Path(__file__).parents[1]
GUIDES = sorted((ROOT / "docs").glob("*.md"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
BLOCKS = [
    (guide.stem, place, block)
    for guide in GUIDES
    for place, block in enumerate(re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL))
]
COMMANDS = [
    (guide.stem, line)
    for guide in GUIDES
    for block in re.findall(r"```console\n(.*?)```", guide.read_text(), re.DOTALL)
    for line in block.splitlines()
    if line.strip()
]


def test_there_are_guides_blocks_commands_and_three_notebooks() -> None:
    assert len(GUIDES) > 5 and len(BLOCKS) > 5 and len(COMMANDS) > 20
    assert [one.stem for one in NOTEBOOKS] == ["build", "check", "look"]


@pytest.mark.slow
@pytest.mark.parametrize(("guide", "place", "block"), BLOCKS, ids=[f"{one[0]}-{one[1]}" for one in BLOCKS])
def test_the_python_of_a_guide_runs_and_says_something_wherever_it_prints(
    guide: str, place: int, block: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, f"{guide}.md", "exec"), {"__name__": "guide"})
    assert len(capsys.readouterr().out.splitlines()) >= block.count("print(")


@pytest.mark.parametrize(("guide", "line"), COMMANDS, ids=[line[:60] for _, line in COMMANDS])
def test_the_commands_of_a_guide_can_be_read_and_name_what_there_is(guide: str, line: str) -> None:
    words = shlex.split(line, comments=True)
    if words[0] != "regard":
        pytest.skip(f"{words[0]} is no command of ours")
    arguments = parser().parse_args(words[1:])
    assert arguments.do
    if words[1] == "run" and not words[2].endswith(".py"):
        registry.find(words[2])


JUPYTER = """
import sys
import nbclient
import nbformat

page = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(page, timeout=280, kernel_name="python3").execute()
nbformat.write(page, sys.argv[1])
"""


def run_python(words: list[str], place: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Python in a folder of its own, with this checkout's package."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")} | variables
    return subprocess.run(
        [sys.executable, *words], cwd=place, env=environment, capture_output=True, text=True, timeout=300
    )


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_jupyter_from_top_to_bottom_in_an_empty_folder(
    notebook: Path, tmp_path: Path
) -> None:
    pytest.importorskip(
        "nbclient", reason="notebooks are left out: no nbclient; pip install nbclient ipykernel"
    )
    page = json.loads(notebook.read_text(encoding="utf-8"))
    assert page["nbformat"] == 4 and not any(cell.get("outputs") for cell in page["cells"])
    copy = tmp_path / notebook.name
    copy.write_text(json.dumps(page), encoding="utf-8")
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    aside = tmp_path / "aside"
    aside.mkdir()
    done = run_python(
        ["-c", JUPYTER, str(copy)], tmp_path,
        PYTHONPATH=path, IPYTHONDIR=str(tmp_path / "ipython"), TMPDIR=str(aside),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not list(aside.iterdir()), "a notebook leaves what it makes in its own folder"
    cells = [
        one for one in json.loads(copy.read_text(encoding="utf-8"))["cells"] if one["cell_type"] == "code"
    ]
    for cell in cells:
        assert cell["outputs"] or "print(" not in "".join(cell["source"]), "a cell that prints says nothing"
    kinds = {kind for cell in cells for one in cell["outputs"] for kind in one.get("data", ())}
    assert notebook.stem == "build" or "text/html" in kinds, "nothing is shown as a notebook shows it"


@pytest.mark.slow
def test_the_first_cell_installs_what_lies_beside_it_and_says_what_to_do_where_nothing_does(
    tmp_path: Path,
) -> None:
    pages = [json.loads(one.read_text(encoding="utf-8")) for one in NOTEBOOKS]
    first = {
        "".join(next(one for one in page["cells"] if one["cell_type"] == "code")["source"]) for page in pages
    }
    assert len(first) == 1, "the notebooks begin alike"
    (cell,) = first
    # A machine without regard, whose pip tells what it was asked for.
    (tmp_path / "bare.py").write_text(
        "import importlib.util, subprocess\n"
        "importlib.util.find_spec = lambda name: None\n"
        "subprocess.run = lambda words, check: print(*words[1:])\n" + cell,
        encoding="utf-8",
    )
    done = run_python(["bare.py"], tmp_path)
    assert done.returncode == 1 and "regard is not installed\n  got: no regard-*.whl" in done.stderr
    for wheel in ("0.0.9-py3-none-any", "0.1.0-py3-none-any", "0.1.0-py3-none-any (1)"):
        (tmp_path / f"regard-{wheel}.whl").touch()
    asked = "-m pip install --quiet"
    assert run_python(["bare.py"], tmp_path).stdout == f"{asked} regard-0.1.0-py3-none-any.whl\n"
    named = run_python(["bare.py"], tmp_path, REGARD_SOURCE="git+file:///elsewhere")
    assert named.stdout == f"{asked} git+file:///elsewhere\n"
    assert run_python([str(tmp_path / "bare.py")], ROOT / "notebooks").stdout == f"{asked} ..\n"


PLAYED = {
    "scontrol": 'test "$*" = "show hostnames node-[1-4]" && printf "node-1\\nnode-2\\nnode-3\\nnode-4\\n"',
    "srun": 'test "$1 $2" = "--nodes=4 --ntasks=4" && shift 2 && exec "$@"',
    "ray": 'echo "$RAY_ADDRESS $RAY_AUTH_MODE ray $*"',
}
"What of SLURM and Ray a script of the guide calls, as far as it does not need a cluster."


@pytest.mark.skipif(shutil.which("bash") is None, reason="the guide's script is one of bash")
def test_the_script_for_slurm_calls_rays_launcher_on_all_nodes_with_our_command(tmp_path: Path) -> None:
    (script,) = re.findall(r"```bash\n(.*?)```", (ROOT / "docs" / "cluster.md").read_text(), re.DOTALL)
    for name, words in {**PLAYED, "python": f'exec {sys.executable} "$@"'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{words}\n")
        (tmp_path / name).chmod(0o755)
    around = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path), "SLURM_JOB_NODELIST": "node-[1-4]"}
    for _ in range(2):  # the second job finds the token of the first
        done = subprocess.run(
            ["bash", "-eu", "-c", script], env=around, capture_output=True, text=True, check=True
        )
        token = (tmp_path / ".ray" / "auth_token").read_text()
        assert re.fullmatch("[0-9a-f]{64}", token)
    assert (tmp_path / ".ray" / "auth_token").read_text() == token
    started, _, command = done.stdout.strip().partition(" -- regard ")
    assert started == (
        "node-1:6379 token ray symmetric-run --address node-1:6379 --min-nodes 4 --num-cpus 32"
    )
    asked = parser().parse_args(shlex.split(command))
    assert (asked.experiment, asked.seeds, asked.on) == ("cora", 1000, "ray")


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
def test_rays_launcher_has_the_options_of_the_guides_script() -> None:
    words = [sys.executable, "-m", "ray.scripts.scripts", "symmetric-run", "--help"]
    known = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    (line,) = re.findall(r"ray symmetric-run (--.*?) -- ", (ROOT / "docs" / "cluster.md").read_text())
    options = re.findall(r"--[a-z-]+", line)
    assert options == ["--address", "--min-nodes", "--num-cpus"]
    assert all(one in known for one in options)
