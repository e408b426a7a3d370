"""Mechanical mutants of correct public files: `python tests/mutated.py FOLDER` makes them, and says how many are detected.

FOLDER holds clones as tests/wild.py has them. A mutant is one small edit of the syntax tree inside the class or function
that is checked. It counts where the file, run without the checker (checker/wild/recipes.json says how), answers otherwise
than before: other outputs, other gradients, other parameters, or an exception. None of that code is committed here.
"""

import argparse
import ast
import json
import multiprocessing
import random
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

HERE = Path(__file__).parent
Edit = tuple[ast.expr, ast.expr, str]
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult}
COMPARISONS = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
SIZES = ((2, 7, 24, 3), (1, 5, 16, 4), (3, 9, 8, 2))
"Samples, tokens, width, heads."
SAME = 1e-4
"Outputs and gradients that differ by less than this share of the largest are the same: an epsilon doubled is no mutant."
SECONDS = 20


def edits(tree: ast.AST) -> Iterator[Edit]:
    """Every small edit of an expression: what stands there, what would stand there, and its kind.

    >>> [(kind, ast.unparse(new)) for _, new, kind in edits(ast.parse("def f(x, y):\\n    return x + 2"))]
    [('operator', 'x - 2'), ('name', 'y'), ('constant', '3'), ('constant', '-2')]
    """
    for scope in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        own = {a.arg for a in ast.walk(scope.args) if isinstance(a, ast.arg)} - {"self"}
        own |= {n.id for n in ast.walk(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        called = {n.func for n in ast.walk(tree) if isinstance(n, ast.Call)}
        held = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and _of_self(n)}
        foreign = {n.attr for n in called if isinstance(n, ast.Attribute) and not _of_self(n)}
        fields = sorted(held - foreign)
        for node in (n for statement in scope.body for n in ast.walk(statement)):
            yield from _edits(node, sorted(own), fields)


def _edits(node: ast.AST, names: list[str], fields: list[str]) -> Iterator[Edit]:
    yield from _operator(node)
    yield from _constant(node)
    yield from _name(node, names, fields)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        other = [COMPARISONS[type(node.ops[0])](), *node.ops[1:]]
        yield node, ast.Compare(node.left, other, node.comparators), "comparison"
    if isinstance(node, ast.Call) and len(node.args) + len(node.keywords) > 1:
        for i in range(len(node.keywords)):
            kept = node.keywords[:i] + node.keywords[i + 1 :]
            yield node, ast.Call(node.func, node.args, kept), "argument"
        if len(node.args) > 1:
            yield node, ast.Call(node.func, node.args[:-1], node.keywords), "argument"


def _operator(node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield node, ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right), "operator"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield node, node.operand, "operator"


def _constant(node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Constant):
        return
    if isinstance(node.value, bool):
        yield node, ast.Constant(not node.value), "constant"
    elif isinstance(node.value, int | float):
        yield node, ast.Constant(node.value + 1), "constant"
        if node.value:
            yield node, ast.UnaryOp(ast.USub(), ast.Constant(node.value)), "constant"
    elif node.value in ("-inf", "inf"):
        yield node, ast.Constant("inf" if node.value == "-inf" else "-inf"), "constant"


def _name(node: ast.AST, names: list[str], fields: list[str]) -> Iterator[Edit]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        yield from ((node, ast.Name(other, ast.Load()), "name") for other in names if other != node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and _of_self(node):
        for other in fields if node.attr in fields else ():
            if other != node.attr:
                yield node, ast.Attribute(node.value, other, ast.Load()), "name"


def _of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def written(text: str, edit: Edit) -> str:
    """The text with one expression replaced, and all else as it stands."""
    old, new, _ = edit
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    first, last = old.lineno - 1, (old.end_lineno or old.lineno) - 1
    before, after = lines[first][: old.col_offset], lines[last][old.end_col_offset :]
    words = ast.unparse(ast.fix_missing_locations(new))
    put = words if isinstance(new, ast.Name | ast.Attribute | ast.Call) else f"({words})"
    lines[first : last + 1] = [before + put.encode() + after]
    return b"".join(lines).decode()


def member(text: str, name: str) -> ast.AST:
    """The definition that is checked."""
    body = ast.parse(text).body
    return next(n for n in body if isinstance(n, ast.ClassDef | ast.FunctionDef) and n.name == name)


def answers(text: str, recipe: dict[str, Any], path: Path) -> list[Any]:
    """What the file says to every size and mode: outputs, gradients, names and shapes of parameters."""
    import torch

    module = ModuleType("recipe_" + path.stem)
    module.__file__ = str(path)
    module.__package__ = recipe.get("package", "")
    torch.manual_seed(0)
    exec(compile(text, str(path), "exec"), module.__dict__)
    found = []
    for samples, tokens, width, heads in SIZES:
        for training in (False, True):
            torch.manual_seed(1)
            given = _given(torch, samples, tokens, width, heads) | {"M": module}
            made = eval(recipe["make"], given) if recipe.get("make") else None
            if isinstance(made, torch.nn.Module):
                made.double().train(training)
                found.append([(name, tuple(p.shape)) for name, p in made.named_parameters()])
                weights = torch.Generator().manual_seed(2)
                with torch.no_grad():
                    for name, held in made.named_parameters():
                        drawn = torch.randn(held.shape, generator=weights, dtype=held.dtype) * 0.4 + 0.1
                        held.copy_(
                            eval(
                                recipe.get("draw", "drawn"),
                                given | {"drawn": drawn, "name": name, "shape": held.shape},
                            )
                        )
            for call in recipe["calls"]:
                out = eval(call, given | {"m": made})
                outs = [
                    o
                    for o in (out if isinstance(out, tuple | list) else [out])
                    if isinstance(o, torch.Tensor)
                ]
                found += [o.detach() for o in outs]
                if any(o.requires_grad for o in outs):
                    learned = list(made.parameters()) if isinstance(made, torch.nn.Module) else []
                    wanted = [
                        t
                        for t in (*given.values(), *learned)
                        if isinstance(t, torch.Tensor) and t.requires_grad
                    ]
                    torch.manual_seed(3)
                    total = sum(
                        (o * torch.randn(o.shape, dtype=o.dtype)).sum() for o in outs if o.requires_grad
                    )
                    found += torch.autograd.grad(total, wanted, allow_unused=True)
    return found


def _given(torch: Any, samples: int, tokens: int, width: int, heads: int) -> dict[str, Any]:
    def drawn(*shape: int) -> Any:
        return torch.randn(*shape, dtype=torch.float64, requires_grad=True)

    near = (torch.rand(tokens, tokens) < 0.4).double()
    near = ((near + near.T + torch.eye(tokens, dtype=torch.float64)) > 0).double()
    root = near.sum(1).rsqrt()
    seen = (torch.rand(tokens, tokens) < 0.6).double()
    seen[:, 0] = 1.0
    angles = torch.outer(
        torch.arange(tokens).double(), 10000.0 ** (-torch.arange(0, width, 2).double() / width)
    )
    given = {"torch": torch, "B": samples, "N": tokens, "D": width, "H": heads, "near": near}
    given |= {"normal": root[:, None] * near * root, "seen": seen, "cfg": SimpleNamespace, "angles": angles}
    given |= {name: drawn(samples, tokens, width) for name in ("x", "q", "k", "v")}
    given |= {f"{name}4": drawn(samples, heads, tokens, width // heads) for name in "qkv"}
    given |= {"wide4": drawn(samples, heads, tokens, width), "late4": drawn(samples, tokens, heads, width)}
    return given | {"nodes": drawn(tokens, width), "flat": drawn(40, width)}


def differ(one: list[Any], two: list[Any]) -> bool:
    """Whether two runs differ anywhere by more than rounding."""
    import torch

    if len(one) != len(two):
        return True
    for a, b in zip(one, two, strict=True):
        if not (isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)):
            if type(a) is not type(b) or (a is not None and a != b):
                return True
        elif a.shape != b.shape or not torch.equal(torch.isfinite(a), torch.isfinite(b)):
            return True
        elif a.numel():
            a, b = torch.nan_to_num(a).double(), torch.nan_to_num(b).double()
            if (a - b).abs().max() > SAME * max(float(a.abs().max()), 1e-12):
                return True
    return False


def chosen(task: tuple[dict[str, Any], Path, int, int]) -> list[dict[str, Any]]:
    """Mutants of one file that change something, as many as are wanted, in an order drawn from the seed."""
    recipe, folder, wanted, seed = task
    name, _, target = recipe["target"].rpartition(":")
    path = folder / recipe["repository"].replace("/", "+") / name
    clone = path.parents[len(Path(name).parts) - 1]
    sys.path[:0] = [*(str(clone / root) for root in recipe.get("roots", ["."])), str(path.parent)]
    text = path.read_text(encoding="utf-8")
    right = _guarded(lambda: answers(text, recipe, path))
    if isinstance(right, str):
        return [{"broken": right, "target": recipe["target"]}]
    every = list(edits(member(text, target)))
    random.Random(f"{seed} {recipe['target']}").shuffle(every)
    found: list[dict[str, Any]] = []
    kinds: dict[str, int] = {}
    for edit in every:
        if len(found) == wanted:
            break
        if kinds.get(edit[2], 0) >= -(-wanted // 3):
            continue
        new = written(text, edit)
        got = _guarded(lambda new=new: answers(new, recipe, path))
        if isinstance(got, str) and kinds.get("raises", 0) >= wanted // 4:
            continue
        if isinstance(got, str) or differ(right, got):
            for kind in (edit[2], *(["raises"] if isinstance(got, str) else [])):
                kinds[kind] = kinds.get(kind, 0) + 1
            words = f"{ast.unparse(edit[0])}  ->  {ast.unparse(edit[1])}"
            found.append(
                {
                    "row": recipe,
                    "line": edit[0].lineno,
                    "edit": words,
                    "kind": edit[2],
                    "text": new,
                    "raises": got if isinstance(got, str) else "",
                }
            )
    return found


def _guarded(work: Callable[[], Any]) -> Any:
    def late(*_: Any) -> None:
        raise TimeoutError("it takes too long")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        return work()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        signal.alarm(0)


def judged(mutant: dict[str, Any], folder: Path, strict: bool) -> dict[str, Any]:
    """The checker's verdict on one mutant, in a copy of its clone."""
    from regard.checker.target import check_file
    from regard.checker.wishes import Wishes

    row = mutant["row"]
    clone = folder / row["repository"].replace("/", "+")
    name, _, target = row["target"].rpartition(":")
    place = clone / name
    kept = place.read_text(encoding="utf-8")
    place.write_text(mutant["text"], encoding="utf-8")
    try:
        report = check_file(f"{place}:{target}", contract=row["contract"], wishes=Wishes(strict=strict))
    finally:
        place.write_text(kept, encoding="utf-8")
    said = " / ".join(v.sentence for v in report.verdicts)
    state = {0: "correct", 1: "mistake", 3: "undecided"}[report.code]
    told = bool(mutant["raises"]) and bool(re.search(r"raise|[A-Z]\w*(Error|Exception)", said))
    return {"state": state, "said": said, "detected": state == "mistake" or told}


def strictly(row: dict[str, Any], folder: Path) -> bool:
    """Whether the file as it stands holds under `--strict`: then its mutants are judged so."""
    name = row["target"].rpartition(":")[0]
    text = (folder / row["repository"].replace("/", "+") / name).read_text(encoding="utf-8")
    return judged({"row": row, "text": text, "raises": ""}, folder, True)["state"] == "correct"


def main() -> None:
    """Make the mutants, judge each, and print the missed ones and the figures."""
    words = argparse.ArgumentParser()
    words.add_argument("folder", type=Path)
    words.add_argument("--count", type=int, default=300)
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--only", default="")
    words.add_argument("--out", type=Path)
    asked = words.parse_args()
    recipes = json.loads((HERE / "checker" / "wild" / "recipes.json").read_text(encoding="utf-8"))
    recipes = [r for r in recipes if asked.only in r["repository"] + r["target"]]
    each = -(-asked.count // len(recipes)) + 1
    made: list[dict[str, Any]] = []
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for found in pool.imap(chosen, [(r, asked.folder, each, asked.seed) for r in recipes]):
            for one in (f for f in found if "broken" in f):
                print("cannot run", one["target"], one["broken"])
            made += [f for f in found if "broken" not in f]
    random.Random(asked.seed).shuffle(made)
    made = made[: asked.count]
    print(f"{len(made)} mutants of {len({m['row']['target'] for m in made})} files", flush=True)
    found = []
    with tempfile.TemporaryDirectory() as held:
        for row in {m["row"]["repository"] for m in made}:
            shutil.copytree(asked.folder / row.replace("/", "+"), Path(held) / row.replace("/", "+"))
        used = [r for r in recipes if any(m["row"] == r for m in made)]
        strict = {r["target"]: strictly(r, Path(held)) for r in used}
        for one in made:
            said = judged(one, Path(held), strict[one["row"]["target"]])
            found.append(
                {k: v for k, v in one.items() if k != "text"}
                | said
                | {"strict": strict[one["row"]["target"]]}
            )
            if not said["detected"]:
                print(
                    f"missed {said['state']:9} {one['row']['repository']} {one['row']['target']}:{one['line']}  {one['edit']}  {one['raises'][:60]}  {said['said'][:120]}",
                    flush=True,
                )
    count = sum(f["detected"] for f in found)
    print(f"{count} of {len(found)} detected ({100 * count / max(len(found), 1):.1f} %)")
    if asked.out:
        asked.out.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
