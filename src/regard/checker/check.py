"""`regard check`: find what a file holds, judge each, report."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from regard.checker.bench import Bench
from regard.checker.contract import Contract
from regard.checker.contracts.table import CONTRACTS, named
from regard.checker.examine import examine
from regard.checker.limits import Limits
from regard.checker.reading import Place, Source
from regard.checker.session import Lost, Raised, Session
from regard.checker.verdict import Finding, Report, Verdict
from regard.errors import RegardError, nearest

SURE = 0.5
"How well a member must look like a contract to be taken for it."


def check(
    target: str,
    *,
    contract: str | None = None,
    level: str = "default",
    map: dict[str, str] | None = None,
    seed: int = 0,
    limits: Limits = Limits(),
) -> Report:
    """The verdict on what a file holds: `mine.py`, or `mine.py:Name` with a contract."""
    path, name = place(target)
    wanted = named(contract) if contract else None
    source = Source(path.read_text(encoding="utf-8", errors="replace"))
    with Session(limits) as session:
        session.warm()
        try:
            members = session.ask("load", str(path))["members"]
        except (Raised, Lost) as trouble:
            return Report(target=target, verdicts=(refused(trouble, name or path.name),), level=level)
        chosen = choose(members, source, name=name, wanted=wanted)
        if not chosen:
            return Report(target=target, verdicts=(nothing(members, path, wanted),), level=level)
        verdicts = [
            examine(found, Bench(session, member, members, source, dict(map or {})), seed=seed)
            for member, found in chosen
        ]
    return Report(target=target, verdicts=tuple(verdicts), level=level)


def place(target: str) -> tuple[Path, str | None]:
    """The file and the name in it."""
    path, name = Path(target), None
    if not path.exists() and ":" in target:
        head, _, name = target.rpartition(":")
        path = Path(head)
    if not path.is_file():
        raise RegardError(
            "there is no such file to check", repr(target), "name a Python file, or FILE.py:Class"
        )
    if path.suffix != ".py":
        raise RegardError(
            "only Python files can be checked", repr(target), "save the cell or notebook as a .py file"
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
    scored = [
        (m, c, c.suits(m, source.text_of(m["name"])))
        for m in members
        for c in ([wanted] if wanted else CONTRACTS)
    ]
    if wanted:
        return [(best_for(wanted, scored), wanted)] if scored else []
    best = [max((s for s in scored if s[0] is member), key=lambda s: s[2]) for member in members]
    top = {c.name: max(s for _, other, s in best if other is c) for _, c, _ in best}
    return [(m, c) for m, c, score in best if score >= SURE and score == top[c.name]]


def best_for(wanted: Contract, scored: list[tuple[dict[str, Any], Contract, float]]) -> dict[str, Any]:
    """The member a person means who names the contract: the likeliest, else the last class that can be called, else the last."""
    best = max(score for _, _, score in scored)
    if best > 0:
        return next(member for member, _, score in scored if score == best)
    members = [member for member, _, _ in scored]
    classes = [member for member in members if member["kind"] == "class" and member["forward"]]
    return (classes or members)[-1]


def refused(trouble: Raised | Lost, name: str) -> Verdict:
    """The file cannot even be imported."""
    if isinstance(trouble, Lost):
        finding = Finding(
            kind="stopped",
            slug=trouble.slug,
            sentence=trouble.sentence,
            remedy="put what runs under: if __name__ == '__main__':",
        )
        return Verdict(
            contract="any", member=name, state="mistake", sentence=trouble.sentence, findings=(finding,)
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


def at_level(report: Report, level: str) -> Report:
    """The same report told at another level."""
    return replace(report, level=level)
