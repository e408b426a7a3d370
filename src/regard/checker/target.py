"""`regard check`: find what a file holds, judge each, report."""

import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from regard.checker.contract import Contract
from regard.checker.contracts.table import CONTRACTS, named
from regard.checker.examine import examine
from regard.checker.process.limits import ProcessLimits
from regard.checker.process.session import Lost, Raised, Session
from regard.checker.report.report import Report
from regard.checker.report.verdict import Finding, Verdict
from regard.checker.source import Place, Source
from regard.checker.workbench import Workbench
from regard.errors import RegardError, nearest

SURE = 0.5
"How well a member must look like a contract to be taken for it."


def check_file(
    target: str,
    *,
    contract: str | None = None,
    level: str = "default",
    map: dict[str, str] | None = None,
    seed: int = 0,
    limits: ProcessLimits = ProcessLimits(),
) -> Report:
    """The verdict on what a file holds: `mine.py`, or `mine.py:Name` with a contract."""
    path, name = place(target)
    wanted = named(contract) if contract else None
    source = Source(path.read_text(encoding="utf-8", errors="replace"), path.stem)
    start = time.monotonic()
    with Session(limits) as session:
        session.warm()
        try:
            members = session.ask("load", str(path))["members"]
        except (Raised, Lost) as trouble:
            return Report(target=target, verdicts=(refused(trouble, name or path.name),), level=level)
        chosen = choose(members, source, name=name, wanted=wanted)
        if not chosen:
            return Report(target=target, verdicts=(nothing(members, path, wanted),), level=level)
        heeded(map or {}, chosen)
        ready = time.monotonic() - start - session.imports
        verdicts = [
            examine(found, Workbench(session, member, members, source, dict(map or {})), seed=seed)
            for member, found in chosen
        ]
    return Report(target=target, verdicts=tuple(verdicts), level=level, imports=session.imports, ready=ready)


def place(target: str, what: str = "check") -> tuple[Path, str | None]:
    """The file and the name in it, and what is to be done with them, for messages."""
    path, name = Path(target), None
    if not path.exists() and ":" in target:
        head, _, name = target.rpartition(":")
        path = Path(head)
    if not path.is_file():
        raise RegardError(
            f"there is no such file to {what}", repr(target), "name a Python file, or FILE.py:Class"
        )
    if path.suffix != ".py":
        raise RegardError(
            f"a Python file is needed to {what}", repr(target), "save the cell or notebook as a .py file"
        )
    return path.resolve(), name or None


def choose(
    members: list[dict[str, Any]], source: Source, *, name: str | None, wanted: Contract | None
) -> list[tuple[dict, Contract]]:
    """The members to judge, each with its contract."""
    if name:
        own = [m for m in members if m["name"] == name]
        if not own:
            names = [m["name"] for m in members]
            raise RegardError(
                "the file defines no class or function of that name",
                repr(name),
                nearest(name, names, f"it defines {', '.join(names) or 'none'}"),
            )
        members = own
    contracts = [wanted] if wanted else CONTRACTS
    scored = [(m, *best(m, source, contracts)) for m in members]
    found = []
    for contract in dict.fromkeys(c.name for _, c, _ in scored):
        own = [(m, score) for m, c, score in scored if c.name == contract]
        top = max(score for _, score in own)
        likely = outermost([m for m, score in own if score == top], source)
        if wanted:
            found = [(m, wanted) for m in (likely[:1] if top > 0 else callable_last(likely))]
        elif top >= SURE:
            found += [(m, named(contract)) for m in likely]
    return found


def best(member: dict[str, Any], source: Source, contracts: Iterable[Contract]) -> tuple[Contract, float]:
    """The contract that a member looks like most, and how much."""
    text = source.text_of(member["name"])
    return max(((c, c.suits(member, text)) for c in contracts), key=lambda pair: pair[1])


def outermost(members: list[dict[str, Any]], source: Source) -> list[dict[str, Any]]:
    """Members that no other of them is built from: a layer, not the head inside it."""
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


def callable_last(members: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a person means who names the contract where no name helps: the last class that can be called, else the last."""
    return ([m for m in members if m["kind"] == "class" and m["forward"]] or members)[-1:]


def refused(trouble: Raised | Lost, name: str) -> Verdict:
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
    found = Place(trouble.line, trouble.text) if trouble.line else None
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


def heeded(said: dict[str, str], chosen: list[tuple[dict[str, Any], Contract]]) -> None:
    """Refuse what `--map` says and nobody would hear: neither a role of the contract nor an argument."""
    roles = [role for _, contract in chosen for role in contract.roles]
    arguments = [p["name"] for member, _ in chosen for p in member["parameters"] if member["kind"] == "class"]
    known = list(dict.fromkeys([*roles, *arguments]))
    for name, value in said.items():
        if name not in known:
            raise RegardError(
                "--map names what has no effect here",
                repr(f"{name}={value}"),
                nearest(name, known, f"one of {', '.join(known) or 'nothing: this contract takes no --map'}"),
            )


def mapping(words: Iterable[str], option: str = "--map") -> dict[str, str]:
    """What `--map` says, or another option: `q=my_query,heads=4`, once or several times.

    >>> mapping(["q=my_query,k=my_key", "heads=4"])
    {'q': 'my_query', 'k': 'my_key', 'heads': '4'}
    """
    pairs = [pair.partition("=") for word in words for pair in word.split(",") if pair]
    for name, equals, value in pairs:
        if not (name and equals and value):
            raise RegardError(
                f"{option} takes NAME=VALUE",
                repr(name + equals + value),
                f"for example {option} q=my_query,heads=4",
            )
    return {name.strip(): value.strip() for name, _, value in pairs}
