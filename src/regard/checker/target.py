"""`regard check`: find what a file holds, judge each, report."""

import ast
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from regard.checker.contract import Contract
from regard.checker.contracts.table import CONTRACTS, named
from regard.checker.examine import examine
from regard.checker.process.limits import ProcessLimits
from regard.checker.process.session import Lost, Raised, Session
from regard.checker.reading import unheard
from regard.checker.reading.definitions import bound, definitions, is_program, missing
from regard.checker.reading.place import CodeFile, opened, packaged
from regard.checker.reading.settings import fields as settings_fields
from regard.checker.reading.source import Source
from regard.checker.report.report import Report
from regard.checker.report.verdict import Finding, Verdict
from regard.checker.wishes import Wishes
from regard.checker.workbench import Workbench
from regard.errors import RegardError, nearest

KEPT = re.compile(r"(config(uration)?|settings?|options?|result|output)$", re.I)
"Names of what only holds what it is told."
SURE = 0.5
"How well a member must look like a contract to be taken for it."


def check_file(
    target: str,
    *,
    contract: str | None = None,
    level: str = "default",
    wishes: Wishes = Wishes(),
    seed: int = 0,
    limits: ProcessLimits = ProcessLimits(),
) -> Report:
    """The verdict on what a file holds: `mine.py`, or `mine.py:Name` with a contract."""
    with Session(limits) as session:
        session.warm()
        return check_code(
            session, target, opened(target), contract=contract, level=level, wishes=wishes, seed=seed
        )


def check_code(
    session: Session,
    target: str,
    code: CodeFile,
    *,
    contract: str | None = None,
    level: str = "default",
    wishes: Wishes = Wishes(),
    seed: int = 0,
    changed: bool = False,
) -> Report:
    """The same in a session that is there; with `changed`, its text stands in for what the file holds."""
    wanted = named(contract) if contract else None
    source = Source(code.text, code.path.stem, code.cells)
    start = time.monotonic()
    try:
        loaded = read(session, code, source, changed=changed)
    except (Raised, Lost) as trouble:
        verdict = refused(trouble, code.name or code.path.name, source)
        return Report(target=target, verdicts=(verdict,), level=level)
    members = loaded.members
    chosen = choose(members, source, name=code.name, wanted=wanted)
    if not chosen:
        return Report(
            target=target, verdicts=(nothing(members, code.path, wanted),), level=level, read=loaded.notes
        )
    fields = [f for m, _ in chosen for p in m["parameters"] for f in settings_fields(source, p["name"])]
    wishes.heeded(chosen, fields)
    ready = time.monotonic() - start - session.imports
    verdicts = [
        examine(
            found,
            Workbench(session, member, members, source, partial=loaded.partial, **wishes.bench(code.text)),
            seed=seed,
        )
        for member, found in chosen
    ]
    return Report(
        target=target,
        verdicts=tuple(verdicts),
        level=level,
        read=loaded.notes,
        imports=session.imports,
        ready=ready,
    )


@dataclass(frozen=True, kw_only=True)
class FileMembers:
    """What a file defines, and how it was read."""

    members: list[dict[str, Any]]
    notes: tuple[str, ...] = ()
    partial: bool = False
    "Whether only definitions were run, so that a name may be missing that the whole file has."


def read(session: Session, code: CodeFile, source: Source, *, changed: bool = False) -> FileMembers:
    """Import a file; one that cannot be imported, or is a program, by the definitions that are asked for."""
    name, roots = packaged(code.path, code.text, Path.cwd())
    asked = [code.name.partition(".")[0]] if code.name else []
    given = {
        "name": name,
        "roots": list(roots),
        "after": missing(code.text, asked) if source.tree.body else "",
    }
    first: Raised | Lost | None = None
    if not code.cells and not is_program(source.tree):
        try:
            whole = {"text": code.text} if changed else {}
            return _members(session.ask("load", str(code.path), **whole, **given))
        except (Raised, Lost) as trouble:
            if not source.tree.body or (isinstance(trouble, Lost) and trouble.slug == "not-started"):
                raise
            first = trouble
    try:
        text = definitions(code.text, asked)
        loaded = _members(session.ask("load", str(code.path), text=text, **given))
    except (Raised, Lost) as trouble:
        raise first or trouble from None
    if first and not loaded.members:
        raise first
    if not changed and (fault := undefined(loaded, asked, source)):
        raise fault
    why = (
        "it is a notebook"
        if code.cells
        else f"it stops when imported ({_short(first)})"
        if first
        else "it works when it is imported"
    )
    what = f"the definitions that {code.name} needs" if code.name else "its definitions"
    note = f"only {what} were run, because {why}"
    return replace(loaded, notes=(note, *loaded.notes), partial=True)


def undefined(loaded: FileMembers, asked: list[str], source: Source) -> Raised | None:
    """Why what was asked for is not there, although the file defines it: its definition needs a name that nothing binds."""
    held = {member["name"] for member in loaded.members}
    top = {name for node in source.tree.body for name in bound(node)}
    top |= {name for node in ast.walk(source.tree) if isinstance(node, ast.Global) for name in node.names}
    for node in (source.member(name) for name in asked if name not in held):
        for note in loaded.notes:
            said = re.fullmatch(r"left out, line (\d+): (\w+): (.*)", note)
            here = said and int(said[1]) == getattr(node, "lineno", 0)
            if (
                said
                and here
                and (_unbound(said[3], top, source) or unheard.own(source, said[2], said[3], None))
            ):
                return Raised(said[2], said[3], int(said[1]), "")
    return None


def _unbound(words: str, top: set[str], source: Source) -> bool:
    name = re.search(r"name '(\w+)' is not defined", words)
    return bool(name) and not {name[1], "*"} & top and not source.cells


def _members(reply: dict[str, Any]) -> FileMembers:
    absent = ", ".join(reply["absent"])
    notes = [f"not installed, and not needed so far: {absent}"] if absent else []
    return FileMembers(
        members=reply["members"], notes=(*notes, *(f"left out, {words}" for words in reply["skipped"]))
    )


def _short(trouble: Raised | Lost) -> str:
    return f"{trouble}".splitlines()[0][:150]


def choose(
    members: list[dict[str, Any]], source: Source, *, name: str | None, wanted: Contract | None
) -> list[tuple[dict, Contract]]:
    """The members to judge, each with its contract."""
    if name:
        head, _, method = name.partition(".")
        own = [m | ({"method": method} if method else {}) for m in members if m["name"] == head]
        own = [m for m in own if not method or method in m["methods"]]
        if not own:
            names = [m["name"] for m in members]
            raise RegardError(
                "the file defines no class or function of that name",
                repr(name),
                nearest(name, names, f"it defines {', '.join(names) or 'none'}"),
            )
        members = own
    else:
        members = [
            m for m in members if not (source.is_operation(m["name"]) or source.is_abstract(m["name"]))
        ]
        able = [m for m in members if (wanted in possible(m) if wanted else possible(m))]
        members = able or (members if wanted else [])
    contracts = [wanted] if wanted else CONTRACTS
    scored = [(m, *best(m, source, contracts if wanted or name else possible(m))) for m in members]
    found = []
    for contract in dict.fromkeys(c.name for _, c, _ in scored):
        own = [(m, score) for m, c, score in scored if c.name == contract]
        top = max(score for _, score in own)
        likely = outermost([m for m, score in own if score == top], source)
        likely = likely if name else public(likely, members, source)
        if wanted:
            found = [(m, wanted) for m in (likely[:1] if top > 0 else callable_last(likely))]
        elif top >= SURE:
            found += [(m, named(contract)) for m in likely]
    return found


def possible(member: dict[str, Any]) -> tuple[Contract, ...]:
    """The contracts that a member can be held to: settings and results, which nobody can ask anything, to none."""
    if member["kind"] == "function" or member["forward"]:
        return CONTRACTS
    asked = member["asked"] and not KEPT.search(member["name"])
    return tuple(c for c in CONTRACTS if c.by_methods) if asked else ()


def best(member: dict[str, Any], source: Source, contracts: Iterable[Contract]) -> tuple[Contract, float]:
    """The contract that a member looks like most, and how much."""
    text = source.text_of(member["name"])
    inner = source.parts(member["name"]) if member["kind"] == "class" else []
    member = member | {"parts": "\n".join(source.text_of(part.name) for part in inner)}
    if "method" in member:
        member = member | {"name": member["method"], "kind": "function"}
    return max(((c, c.suits(member, text)) for c in contracts), key=lambda pair: pair[1])


def outermost(members: list[dict[str, Any]], source: Source) -> list[dict[str, Any]]:
    """FileMembers that no other of them is built from: a layer, not the head inside it."""
    inner = [
        m
        for m in members
        if any(
            re.search(rf"\b{re.escape(m['name'])}\b", source.text_of(o["name"]))
            for o in members
            if o is not m
        )
    ]
    return [m for m in members if m not in inner] or members


def public(
    likely: list[dict[str, Any]], members: list[dict[str, Any]], source: Source
) -> list[dict[str, Any]]:
    """Of a private helper, the classes that call it: they are what a person means."""
    private = [m["name"] for m in likely if m["name"].startswith("_")]
    owners = [
        m
        for m in members
        if m["kind"] == "class" and m["forward"] and not m["name"].startswith("_")
        and any(re.search(rf"\b{re.escape(name)}\b", source.text_of(m["name"])) for name in private)
    ]  # fmt: skip
    return owners if owners and len(private) == len(likely) else likely


def callable_last(members: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a person means who names the contract where no name helps: the last class that can be called, else the last."""
    return ([m for m in members if m["kind"] == "class" and m["forward"]] or members)[-1:]


def refused(trouble: Raised | Lost, name: str, source: Source) -> Verdict:
    """The file cannot even be imported."""
    if isinstance(trouble, Lost):
        ours = trouble.slug == "not-started"
        finding = Finding(
            kind="stopped",
            slug=trouble.slug,
            sentence=trouble.sentence,
            remedy="try again; if it stays, see whether torch can be imported here"
            if ours
            else "put what runs under: if __name__ == '__main__':",
        )
        return Verdict(
            contract="any",
            member=name,
            state="undecided" if ours else "mistake",
            sentence=trouble.sentence,
            findings=(finding,),
        )
    sentence = f"the file cannot be imported: {trouble.kind}: {trouble.words.splitlines()[0][:200] if trouble.words else ''}"
    known = {
        "FileNotFoundError": "the check runs in an empty folder: put what reads files under: if __name__ == '__main__':"
    }
    missing = trouble.kind in ("ModuleNotFoundError", "ImportError")
    remedy = (
        "install it in this environment, or leave the import out"
        if missing
        else known.get(trouble.kind, "make the file import first")
    )
    found = source.at(trouble.line) if trouble.line else None
    finding = Finding(kind="stopped", slug="import-error", sentence=sentence, place=found, remedy=remedy)
    return Verdict(
        contract="any",
        member=name,
        state="undecided" if missing else "mistake",
        sentence=sentence,
        findings=(finding,),
    )


def nothing(members: list[dict[str, Any]], path: Path, wanted: Contract | None) -> Verdict:
    """The file holds nothing the checker recognises."""
    names = ", ".join(m["name"] for m in members[:12]) or "no class and no function"
    what = wanted.name if wanted else "any contract"
    sentence = f"nothing here looks like {what}: the file defines {names}"
    known = ", ".join(c.name for c in CONTRACTS)
    finding = Finding(
        kind="stopped",
        slug="nothing-found",
        sentence=sentence,
        remedy=f"say which: FILE.py:Name --as CONTRACT, one of {known}",
    )
    return Verdict(contract=what, member=path.name, state="undecided", sentence=sentence, findings=(finding,))
