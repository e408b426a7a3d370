"""The verb check: of a file or a folder; also a contract's page, and the checker's own figures."""

import argparse
import ast
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.cli.output import print_folded, print_json, progress
from regard.cli.runs import store
from regard.errors import RegardError, nearest

if TYPE_CHECKING:
    from regard.checker.report.report import Report

HEARD = {
    "--page": ("json",),
    "--selftest": ("json", "target", "jobs"),
}
"What has an effect beside a word that asks for something other than a check."


def check(arguments: argparse.Namespace) -> int:
    _require_sense(arguments)
    if arguments.page is not None:
        return _page(arguments)
    if arguments.selftest:
        return _selftest(arguments)
    if arguments.target is None:
        raise RegardError("there is nothing to check", "no file", "regard check FILE.py, or FILE.py:Name")
    from regard.checker import mapping
    from regard.checker.contracts.table import named

    if arguments.contract is not None:
        named(arguments.contract)
    wishes = {
        "level": arguments.level,
        "map": mapping(arguments.map),
        "strict": arguments.strict,
        "conventions": tuple(arguments.convention),
        "make": arguments.make or "",
        "call": arguments.call or "",
    }
    return (_folder if Path(arguments.target).is_dir() else _file)(arguments, wishes)


def _require_sense(arguments: argparse.Namespace) -> None:
    """Refuse words that would do nothing beside the others."""
    said = {
        "page": ("--page", arguments.page is not None),
        "selftest": ("--selftest", arguments.selftest),
        "target": (f"'{arguments.target}'", arguments.target is not None),
        "contract": ("--as", arguments.contract is not None),
        "level": (f"--{arguments.level}", arguments.level != "default"),
        "fix": ("--fix", arguments.fix),
        "map": ("--map", bool(arguments.map)),
        "strict": ("--strict", bool(arguments.strict)),
        "convention": ("--convention", bool(arguments.convention)),
        "make": ("--make", arguments.make is not None),
        "call": ("--call", arguments.call is not None),
        "jobs": ("--jobs", arguments.jobs is not None),
    }
    given = {name: word for name, (word, there) in said.items() if there}
    for asked, heard in HEARD.items():
        unheard = [word for name, word in given.items() if name not in heard and word != asked]
        if asked in given.values() and unheard:
            raise RegardError(
                f"{unheard[0]} has no effect beside {asked}",
                f"{asked} and {unheard[0]}",
                "leave out one of them",
            )
    words = {"--make": [arguments.make], "--call": [arguments.call], "--map": arguments.map}
    for name, said in words.items():
        if any(word is not None and not word.strip(" ,") for word in said):
            raise RegardError(f"{name} says nothing", "an empty word", "leave it out, or fill it in")
    if "jobs" in given and "selftest" not in given:
        raise RegardError("--jobs has no effect without --selftest", "--jobs", "leave it out")
    if "fix" in given and arguments.level == "hint":
        raise RegardError(
            "--hint keeps the answer back, and --fix shows it", "--hint and --fix", "leave out one of them"
        )
    if "fix" in given and "target" in given and Path(arguments.target).is_dir():
        raise RegardError(
            "--fix is about one file", f"--fix and the folder {given['target']}", "name the file: FILE.py"
        )


def _page(arguments: argparse.Namespace) -> int:
    from regard.checker import page

    words = page(arguments.page)
    print_json({"page": arguments.page, "text": words}) if arguments.json else print(words)
    return 0


def _selftest(arguments: argparse.Namespace) -> int:
    from regard.checker import selftest

    jobs = (os.cpu_count() or 1) if arguments.jobs is None else arguments.jobs
    tell = progress()
    figures = selftest(Path(arguments.target or "tests/checker"), jobs=jobs, tell=tell)
    tell("")
    print_json(figures.plain()) if arguments.json else print(*figures.lines(), sep="\n")
    return 0 if all(one.right for one in figures.outcomes) else 1


def _file(arguments: argparse.Namespace, wishes: dict[str, Any]) -> int:
    from regard.checker import check, fixes

    target = _meant(arguments.target, wishes["make"])
    report = check(target, contract=arguments.contract, **wishes)
    _keep(report)
    if not arguments.fix:
        print_json(_told(report)) if arguments.json else print_folded(str(report))
        return report.code
    if not arguments.json:
        print_folded(str(report))
    tell = progress(5.0)
    said = {name: value for name, value in wishes.items() if name != "level"}
    found = fixes(target, report, tell=tell, **said)
    tell("")
    if arguments.json:
        print_json(report.plain() | {"fixes": [asdict(fix) for fix in found]})
    else:
        print(*found, sep="\n")
    return report.code


def _folder(arguments: argparse.Namespace, wishes: dict[str, Any]) -> int:
    from regard.checker import check, survey, unreadable
    from regard.checker.process.nursery import nursery
    from regard.checker.process.session import INSIDE

    wanted = [one for one in survey(Path(arguments.target)) if arguments.contract in (None, one.contract)]
    if name := _made(wishes["make"]):
        names = [one.name for one in wanted]
        _require_known(name, names, wishes["make"])
        wanted = [one for one in wanted if one.name == name]
    broken = unreadable(Path(arguments.target))
    if not arguments.json:
        print(f"{len(wanted)} that could be one of the contracts, by their syntax:")
        for one in wanted:
            print(f"  {one.path}:{one.name} as {one.contract}")
        for words in broken:
            print(f"Python cannot read {words}")
    reports = []
    with nursery(INSIDE):
        for one in wanted:
            reports.append(check(f"{one.path}:{one.name}", contract=one.contract, **wishes))
            _keep(reports[-1])
            if not arguments.json:
                print(f"\n{one.path}")
                print_folded(str(reports[-1]))
    if arguments.json:
        print_json([_told(report) for report in reports])
    codes = [report.code for report in reports]
    return 1 if 1 in codes else 3 if 3 in codes or broken or not codes else 0


def _made(make: str) -> str:
    """The class that `--make` names; none where it says no call."""
    try:
        call = ast.parse(make.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return ""  # the checker says what is wrong with it
    function = call.func if isinstance(call, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _meant(target: str, make: str) -> str:
    """The target with the class that `--make` names: one of the file, and the one that was asked for."""
    from regard.checker.reading.place import opened

    name = _made(make)
    if not name:
        return target
    code = opened(target)
    if code.name:
        _require_known(name, [code.name.partition(".")[0]], make)
        return target
    try:
        tree = ast.parse(code.text)
    except SyntaxError:
        return target
    classes = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    if classes:
        _require_known(name, classes, make)
    return f"{target}:{name}" if len(classes) > 1 else target


def _require_known(name: str, names: list[str], make: str) -> None:
    if name not in names:
        raise RegardError(
            "--make names a class that is not checked here",
            repr(make),
            nearest(name, names, f"make {', '.join(dict.fromkeys(names)) or 'one that could be checked'}"),
        )


def _told(report: "Report") -> dict[str, Any]:
    """A report as JSON; with `--hint` the laws that break, and nothing of the cause."""
    if report.level != "hint":
        return report.plain()
    verdicts = []
    for verdict in report.verdicts:
        shown = [f for f in verdict.findings if f.kind in ("mistake", "unknown", "stopped")]
        said = (
            {"laws": [f.law or "it runs to its end" for f in shown]}
            if shown
            else {"sentence": verdict.sentence}
        )
        kept = ("contract", "member", "state", "seconds")
        verdicts.append({name: getattr(verdict, name) for name in kept} | said)
    return {"target": report.target, "level": report.level, "code": report.code, "verdicts": verdicts}


def _keep(report: "Report") -> None:
    """Leave a report where the lab in the browser lists it; a place that cannot be written is no mistake."""
    from regard.lab.store.checks import keep

    with suppress(RegardError):
        keep(store(), report.plain())
