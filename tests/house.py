"""The rules of the house, as functions over a source tree: each gives a line for every breach.

`test_layers.py` holds the package to them, and shows that each of them can fail.
"""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "regard"

WORDS = {"errors", "shapes", "claims", "files", "arguments"}
SIBLINGS = {"core", "data", "training", "generation"}
FACADE = "regard"
MAY = dict.fromkeys(WORDS | SIBLINGS, WORDS)
MAY |= {"models": WORDS | {"core"}, "checker": WORDS | {"core"}, "theory": WORDS | {"core", "models"}}
MAY |= {"estimators": WORDS | {"core", "models", "training"}}
MAY |= {"lab": WORDS | SIBLINGS | {"models", "checker", "theory", "estimators", FACADE}}
MAY |= {"experiments": MAY["lab"] | {"lab"}}
MAY |= {"web": MAY["lab"] | {"lab"}}
MAY |= {"cli": set(MAY) | {FACADE}, "__main__": {"cli"}, "__init__": set(MAY)}

LIBRARY = {"torch", "numpy"}
LAB = LIBRARY | {"rich", "matplotlib", "jinja2"}
INSTALLED = dict.fromkeys(MAY, LIBRARY) | dict.fromkeys(("lab", "experiments", "cli"), LAB)
INSTALLED["estimators"] = LIBRARY | {"sklearn"}
INSTALLED["web"] = LAB | {"starlette", "uvicorn", "anyio"}
"What a module may load as soon as it is imported; inside functions it may try anything."
KERNELS = {
    "core/backends/gpu/edge_kernels.py",
    "core/backends/gpu/edges.py",
    "core/backends/gpu/linear.py",
    "generation/device_draw.py",
    "models/gpt/device_step.py",
    "models/gpt/step_kernels.py",
    "training/gpu/fused_loss.py",
}
"Files of kernels for a GPU, which load Triton; others load these inside functions, where a GPU is."


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
                if name.partition(".")[0] == "triton" and file.as_posix() in KERNELS:
                    continue
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


FILES, LINES, ALIKE = 20, 400, 3
"Most files of a folder, most lines of a file, and how many files with one prefix make a folder."


class House:
    """The modules of a package, what each imports, and the room each lies in."""

    def __init__(self, source: Path) -> None:
        paths = sorted(path for path in source.rglob("*.py"))
        self.source = source
        self.modules = {self.name(path): path for path in paths}
        self.trees = {name: ast.parse(path.read_text("utf-8")) for name, path in self.modules.items()}

    def name(self, path: Path) -> str:
        parts = path.relative_to(self.source).with_suffix("").parts
        return ".".join(("regard", *parts)).removesuffix(".__init__")

    @cached_property
    def imports(self) -> Mapping[str, set[str]]:
        """The modules that each module imports anywhere in its text, inside functions too."""
        return {name: set(self._imported(name)) - {name} for name in self.modules}

    def _imported(self, name: str) -> Iterator[str]:
        package = name if self.modules[name].name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(self.trees[name]):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.modules)
            elif isinstance(node, ast.ImportFrom):
                above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
                base = ".".join([*above, *([node.module] if node.module else [])])
                for alias in node.names:
                    inner = f"{base}.{alias.name}"
                    yield from (
                        one for one in (inner if inner in self.modules else base,) if one in self.modules
                    )

    @cached_property
    def users(self) -> Mapping[str, set[str]]:
        """Who imports each module."""
        into: dict[str, set[str]] = defaultdict(set)
        for user, found in self.imports.items():
            for name in found:
                into[name].add(user)
        return into

    def room(self, name: str) -> str | None:
        """The experiment that a module belongs to: its own folder, or the one file that it is."""
        parts = name.split(".")
        if len(parts) < 4 or parts[1] != "experiments":
            return None
        inside = len(parts) > 4 or self.modules[name].name == "__init__.py"
        alone = re.search(r"^EXPERIMENT\b", self.modules[name].read_text("utf-8"), re.MULTILINE)
        return ".".join(parts[:4]) if inside or alone else None

    def public(self, name: str) -> bool:
        """Whether a package hands on names of this module."""
        return any(self.modules[user].name == "__init__.py" for user in self.users[name])


def leaks(house: House) -> list[str]:
    """Rule 1: a file that one room alone uses lives in that room, unless it is public."""
    found = []
    for name, path in house.modules.items():
        rooms = {house.room(user) for user in house.users[name]}
        if path.name != "__init__.py" and len(rooms) == 1 and not house.public(name):
            (room,) = rooms
            if room is not None and house.room(name) != room:
                found.append(f"{name} serves {room} alone")
    return found


def visits(house: House) -> list[str]:
    """Rule 2: rooms never import rooms, nor another chapter's."""
    found = []
    for name, imported in house.imports.items():
        here, chapter = house.room(name), name.split(".")[:3]
        for other in sorted(imported):
            there = house.room(other)
            foreign = other.startswith("regard.experiments.") and other.split(".")[:3] != chapter
            if name.startswith("regard.experiments.") and (foreign or (there and there != here)):
                found.append(f"{name} imports {other}")
    return found


def shortcuts(house: House) -> list[str]:
    """Rule 3: the machinery knows experiments through its registry, which alone speaks of their folder."""
    found = []
    for name, path in house.modules.items():
        if name.startswith("regard.lab") and name != "regard.lab.registry":
            text = path.read_text("utf-8")
            found += [f"{name}: {word}" for word in re.findall(r"regard\.experiments[\w.]*", text)]
    return found


def crowds(house: House) -> list[str]:
    """Rule 4: at most 20 files a folder, three with one prefix make a folder; and no file is too long."""
    folders: dict[Path, list[str]] = defaultdict(list)
    for path in house.modules.values():
        if path.name != "__init__.py":
            folders[path.parent].append(path.stem)
    found = []
    for folder, names in folders.items():
        where = folder.relative_to(house.source).as_posix()
        found += [f"{where}: {len(names)} files"] if len(names) > FILES else []
        shared = Counter(name.split("_")[0] for name in names if "_" in name)
        found += [f"{where}: {count} files {prefix}_*" for prefix, count in shared.items() if count >= ALIKE]
    for name, path in house.modules.items():
        lines = path.read_text("utf-8").count("\n")
        found += [f"{name}: {lines} lines"] if lines > LINES else []
    return found


def homonyms(house: House) -> list[str]:
    """Rule 6: one class name, one meaning; a room's `Settings` excepted."""
    homes: dict[str, list[str]] = defaultdict(list)
    for name, tree in house.trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    return [
        f"{name}: {', '.join(found)}"
        for name, found in homes.items()
        if len(found) > 1 and name != "Settings"
    ]


def cycles(house: House) -> list[str]:
    """Rule 9: no import cycle of any length, late imports included."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    found: list[str] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        path.append(name)
        for other in sorted(house.imports[name]):
            if other not in order:
                visit(other)
            if other in path:
                low[name] = min(low[name], low[other])
        if low[name] == order[name]:
            ring = [path.pop()]
            while ring[-1] != name:
                ring.append(path.pop())
            found.extend([" -> ".join(sorted(ring))] if len(ring) > 1 else [])

    for name in house.modules:
        if name not in order:
            visit(name)
    return found
