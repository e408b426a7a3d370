"""What loads when: `import regard` needs torch and numpy alone, `regard --help` not even those."""

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest

from house import KERNELS
from regard.lab.template import TEMPLATE

SOURCE = Path(__file__).parents[1] / "src"
LIBRARY = ("errors", "shapes", "claims", "files", "core", "models")
PLAIN = ("torch", "numpy", "rich", "matplotlib", "jinja2")

GUARD = """
import builtins, sys

there, ours = {there!r} | sys.stdlib_module_names, {ours!r} | sys.stdlib_module_names
sys.path[:0] = {paths!r}

class Absent:
    def find_spec(self, name, path=None, target=None):
        if not name.startswith("_sysconfigdata") and name.split(".")[0] not in there:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

load = builtins.__import__

def load_ours(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {{}}).get("__name__", "")
    if importer.split(".")[0] == "regard" and level == 0 and name.split(".")[0] not in ours:
        raise ModuleNotFoundError(f"{{importer}} imports {{name}}", name=name)
    return load(name, globals, locals, fromlist, level)

sys.meta_path.insert(0, Absent())
builtins.__import__ = load_ours
"""
"""A machine on which only the modules `there` are installed, and on which our own code may ask for `ours`
alone: torch brings networkx and jinja2 along, so that their absence cannot be what shows our use of them."""


def brought(distributions: tuple[str, ...]) -> set[str]:
    """The modules that come with distributions and with all that those require."""
    pending, seen = list(distributions), set()
    while pending:
        name = plain(pending.pop())
        if name not in seen:
            seen.add(name)
            pending += [word for word in required(name) if "extra ==" not in word]
    return {
        module for module, homes in packages_distributions().items() if seen & {plain(home) for home in homes}
    }


def required(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:  # wanted on other systems only
        return []


def plain(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement.strip())[0].replace("_", "-").replace(".", "-").lower()


def fresh(script: str, *, there: set[str], ours: set[str], paths: tuple[Path, ...] = (SOURCE,)):
    """Run a script in a new process on a machine of that kind."""
    guard = GUARD.format(
        there=there | {"regard"}, ours=ours | {"regard"}, paths=[str(path) for path in paths]
    )
    return subprocess.run([sys.executable, "-c", guard + script], capture_output=True, text=True, check=False)


def modules(source: Path) -> list[str]:
    """The dotted names of the library's modules, but for kernels, which a GPU alone asks for."""
    files = [
        file
        for name in LIBRARY
        for file in (*source.glob(f"regard/{name}.py"), *source.glob(f"regard/{name}/**/*.py"))
        if file.relative_to(source / "regard").as_posix() not in KERNELS
    ]
    return [
        ".".join(file.relative_to(source).with_suffix("").parts).removesuffix(".__init__") for file in files
    ]


@pytest.mark.slow
def test_the_library_needs_torch_and_numpy_alone() -> None:
    names = modules(SOURCE)
    assert {"regard.errors", "regard.core"} <= set(names), "no source was read"
    script = f"""
import regard
for name in regard.__all__:
    getattr(regard, name)
for name in {names!r}:
    __import__(name)
strangers = {{"rich", "matplotlib", "tokenizers", "safetensors", "jaxtyping"}} & set(sys.modules)
print(len(regard.__all__), sorted(strangers))
"""
    answer = fresh(script, there=brought(("torch", "numpy")), ours={"torch", "numpy"})
    assert answer.returncode == 0, answer.stderr
    public, strangers = answer.stdout.split(maxsplit=1)
    assert int(public) > 0
    assert strangers == "[]\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        ("import rich", "regard imports rich"),
        ("import networkx", "regard imports networkx"),
        ("import os, numpy", ""),
    ],
)
def test_the_guard_sees_a_planted_import(tmp_path: Path, statement: str, complaint: str) -> None:
    (tmp_path / "regard.py").write_text(statement, encoding="utf-8")
    there = brought(("torch", "numpy"))
    answer = fresh("import regard", there=there, ours={"torch", "numpy"}, paths=(tmp_path,))
    assert (complaint in answer.stderr, answer.returncode) == (True, int(bool(complaint))), answer.stderr


def test_the_guard_hides_what_is_installed() -> None:
    answer = fresh("import hypothesis", there=brought(("torch", "numpy")), ours=set())
    assert answer.stderr.endswith("ModuleNotFoundError: No module named 'hypothesis'\n")


HELP = """
import sys, time
from regard.cli.main import main
try:
    status = main(["--help"])
except SystemExit as end:
    status = end.code
heavy = {"torch", "numpy", "rich", "matplotlib", "jinja2"} & set(sys.modules)
print(f"{status or 0} {sorted(heavy)} {time.process_time():.3f}", file=sys.stderr)
"""


@pytest.mark.slow
def test_help_answers_at_once_because_it_loads_nothing_heavy() -> None:
    answers = [
        subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True, cwd=SOURCE)
        for _ in range(3)
    ]
    assert all("usage: regard" in answer.stdout for answer in answers)
    status, heavy, _ = answers[0].stderr.split()
    assert (status, heavy) == ("0", "[]")
    seconds = min(float(answer.stderr.split()[-1]) for answer in answers)
    assert seconds < 0.5, f"{seconds} s of processor time"


@pytest.mark.slow
def test_the_module_is_the_command() -> None:
    spoken = [
        subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, cwd=SOURCE)
        for words in (
            ("-m", "regard", "no-such-verb"),
            ("-c", "import sys; from regard.cli.main import main; sys.exit(main())", "no-such-verb"),
        )
    ]
    assert spoken[0].stderr.startswith("no verb of that name\n  got: 'no-such-verb'\n")
    assert (spoken[0].stderr, spoken[0].returncode) == (spoken[1].stderr, spoken[1].returncode)


@pytest.mark.slow
def test_a_run_needs_the_plain_install_alone(tmp_path: Path) -> None:
    """No parser, no checker of shapes, nothing of the extras: what a machine for running has."""
    words = ["run", "scaled-dot-product", "--set", "draws=50", "--set", "seeds=2"]
    script = f"""
import os
os.chdir({str(tmp_path)!r})
from regard.cli.main import main
sys.exit(main({words!r}))
"""
    there = brought(PLAIN)
    assert there.isdisjoint({"tyro", "beartype", "jaxtyping", "hypothesis", "pytest", "scipy", "sklearn"})
    answer = fresh(script, there=there, ours=there)
    assert answer.returncode == 0, answer.stderr
    assert list(tmp_path.glob("runs/**/*.html")), "no report was written"


STARTUP = """
import sys, time
begun = time.perf_counter()
import regard
taken = time.perf_counter() - begun
heavy = {"torch", "numpy", "rich", "matplotlib", "jinja2", "sklearn"} & set(sys.modules)
print(f"{sorted(heavy)} {taken:.4f}")
"""


def test_import_regard_loads_no_torch_and_takes_under_50_ms() -> None:
    """The quickest of five, since this machine may be busy."""
    answers = [
        subprocess.run(
            [sys.executable, "-c", STARTUP], capture_output=True, text=True, check=True, cwd=SOURCE
        )
        for _ in range(5)
    ]
    assert {answer.stdout.rpartition(" ")[0] for answer in answers} == {"[]"}
    seconds = min(float(answer.stdout.split()[-1]) for answer in answers)
    assert seconds < 0.05, f"{seconds} s"


def public() -> dict[str, set[str]]:
    """What each public package gives."""
    import regard

    return {"regard": set(regard.__all__)} | {
        f"regard.{name}": set(getattr(regard, name).__all__) for name in regard.PACKAGES
    }


def told(text: str) -> dict[str, set[str]]:
    """The names that a text lists under 'Public names', by package."""
    section = text.split("## Public names")[1].split("\n## ")[0]
    parts = re.split(r"^\* `(regard[.\w]*)`:", section, flags=re.MULTILINE)[1:]
    return {
        name: set(re.findall(r"`(\w+)`", words)) for name, words in zip(parts[::2], parts[1::2], strict=True)
    }


def test_design_lists_the_public_names_and_no_others() -> None:
    listed, there = told((SOURCE.parent / "DESIGN.md").read_text()), public()
    assert set(listed) == set(there)
    for package, names in there.items():
        assert listed[package] == names, (package, listed[package] ^ names)


def test_what_the_texts_import_is_public() -> None:
    there, root = public(), SOURCE.parent
    pages = [root / "README.md", root / "DESIGN.md", *sorted((root / "docs").glob("*.md"))]
    texts = {page.name: page.read_text(encoding="utf-8") for page in pages} | {"the template": TEMPLATE}
    for file, text in texts.items():
        for package, names in re.findall(r"^from (regard[\w.]*) import ([^#\n]+)", text, re.M):
            assert {one.strip() for one in names.split(",")} <= there.get(package, set()), (file, package)


def test_a_name_that_is_elsewhere_says_where() -> None:
    import regard

    with pytest.raises(
        AttributeError,
        match=r"^module 'regard' has no attribute 'GaussianMixture'; it is in regard.estimators$",
    ):
        regard.GaussianMixture  # noqa: B018
    with pytest.raises(AttributeError, match=r"^module 'regard' has no attribute 'nope'$"):
        regard.nope  # noqa: B018
    for package, names in regard.BESIDE.items():
        assert set(names) <= set(getattr(regard, package).__all__)


def test_one_class_is_called_gaussian_mixture() -> None:
    found = [
        file.relative_to(SOURCE).as_posix()
        for file in (SOURCE / "regard").rglob("*.py")
        if re.search(r"^class GaussianMixture\b", file.read_text(), re.MULTILINE)
    ]
    assert found == ["regard/estimators/mixture.py"]
