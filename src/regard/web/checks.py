"""Results of `regard check` as documents. None is ever started from here."""

from pathlib import Path
from typing import Any

from regard.lab.store.checks import kept, read
from regard.lab.store.runs import Store
from regard.web.refusal import Refusal

LISTED = 200


def names(store: Store) -> tuple[str, ...]:
    """The ids of all checks, the newest first."""
    return tuple(file.stem for file in kept(store)[:LISTED])


def listed(store: Store) -> list[dict[str, Any]]:
    """Each check in a line."""
    return [_line(file) for file in kept(store)[:LISTED]]


def _line(file: Path) -> dict[str, Any]:
    found = read(file)
    if found is None:
        return {"id": file.stem, "target": "", "contract": "", "state": "damaged", "when": ""}
    verdicts = found["report"]["verdicts"]
    return {
        "id": file.stem,
        "target": Path(found["report"]["target"]).name,
        "contract": ", ".join(one["contract"] for one in verdicts),
        "member": ", ".join(one["member"] for one in verdicts),
        "state": _worst(verdicts),
        "when": found["when"],
    }


def _worst(verdicts: list[dict[str, Any]]) -> str:
    states = [one["state"] for one in verdicts]
    return next((state for state in ("mistake", "undecided", "correct") if state in states), "undecided")


def document(store: Store, id: str) -> dict[str, Any]:
    """A check in full: of several verdicts, each; of the worst, its evidence and its page."""
    file = {one.stem: one for one in kept(store)}.get(id)
    found = None if file is None else read(file)
    if file is None or found is None:
        raise Refusal(404, "no check of that id", id, "regard check FILE.py makes one")
    report = found["report"]
    verdicts = [_verdict(one) for one in report["verdicts"]]
    worst = next((one for one in verdicts if one["verdict"] == _worst(report["verdicts"])), None)
    return {
        "kind": "check",
        "version": 1,
        "id": id,
        "target": Path(report["target"]).name,
        "when": found["when"],
        "notes": list(report.get("read", ())),
        **(worst or _verdict({"contract": "", "member": "", "state": "undecided", "sentence": ""})),
        "verdicts": verdicts,
    }


def _verdict(verdict: dict[str, Any]) -> dict[str, Any]:
    findings = verdict.get("findings", [])
    wrong = [one for one in findings if one["kind"] in ("mistake", "unknown", "stopped")]
    first = wrong[0] if wrong else None
    picture = verdict.get("picture") or {}
    place = (first or {}).get("place") or {}
    page = _page(verdict["contract"], first["slug"]) if first else None
    right = page["right_lines"] if page else []
    return {
        "contract": verdict["contract"],
        "member": verdict["member"],
        "verdict": verdict["state"],
        "sentences": [verdict["sentence"], *(one["sentence"] for one in wrong)],
        "beside": [
            {"what": one["kind"], "sentence": one["sentence"]} for one in findings if one not in wrong
        ],
        "evidence": [said for one in wrong for said in one["evidence"]],
        "line": place.get("line"),
        "code": place.get("text", ""),
        "fix": first["remedy"] if first else "",
        "slug": first["slug"] if first else "",
        "step": next((one["text"] for one in right if one["marked"]), ""),
        "law": first["law"] if first else "",
        "laws": verdict.get("laws", {}),
        "title": picture.get("title", ""),
        "expected": picture.get("expected"),
        "actual": picture.get("actual"),
        "page": page,
    }


def _page(contract: str, slug: str) -> dict[str, Any] | None:
    """Why it is a mistake, and the right lines, those that matter marked."""
    from regard.checker.contracts.table import CONTRACTS  # the checker takes half a second to load
    from regard.checker.report.page import marked, reason

    known = [one for one in CONTRACTS if one.name == contract]
    wrong = [one for contract in known for one in contract.mistakes if one.slug == slug]
    steps = {name for one in wrong for form in one.forms for name in form} | {slug}
    why = reason(contract, slug)
    lines = [{"text": text, "marked": bool(steps & marks)} for text, marks in marked(contract)]
    return {"title": slug, "known": bool(wrong), "why": why, "right_lines": lines} if why or lines else None
