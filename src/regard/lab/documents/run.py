"""The document of a run: question, answer, claims, numbers, curves, tables, texts and figures."""

from collections.abc import Mapping
from typing import Any

from regard.claims import ClaimVerdict
from regard.lab.answer import opening, sentence, summaries
from regard.lab.book.report import numbers
from regard.lab.documents.curves import curves, points_without_axis
from regard.lab.documents.plain import readable
from regard.lab.statistics import Summary
from regard.lab.store.run import Run

ROWS, TEXT = 2000, 200_000
"Most rows of a table, most characters of a text: a document is for a page."


def run_document(run: Run, *, id: str | None = None, recorded: bool = False) -> dict[str, Any]:
    """All that a page shows of a run; of one that cannot be read, why."""
    id = run.id if id is None else id
    head = {"kind": "run", "version": 1, "id": id, "name": run.name, "state": run.state, "recorded": recorded}
    if run.problem:
        problem = {"what": run.problem.what, "got": run.problem.got, "fix": run.problem.fix}
        return head | EMPTY | {"problem": problem}
    request, result, found = run.request, run.result, summaries(run)
    return head | {
        "question": readable(request["question"]),
        "method": readable(request["method"]),
        "see": readable(request["see"]),
        "correction": readable(request.get("correction", "")),
        "chapter": request.get("chapter", "yours"),
        "answer": [readable(one) for one in opening(run)],
        "error": result["error"],
        "problem": None,
        "preset": request["preset"],
        "changes": request["changes"],
        "settings": request["settings"],
        "seed": request["seed"],
        "started": request["started"],
        "environment": request["environment"],
        "seconds": result["seconds"],
        "claims": [_claim(one, found) for one in run.verdicts],
        "numbers": number_rows(run),
        "curves": curves(run.measured),
        "tables": [*_tables(run), *points_without_axis(run.measured)],
        "texts": [{"name": one.name, "text": one.text[:TEXT]} for one in run.said],
        "figures": [
            {"name": name, "caption": readable(caption), "url": f"/api/runs/{id}/figures/{place}.svg"}
            for place, (name, caption, _) in enumerate(run.figures)
        ],
    }


EMPTY: dict[str, Any] = {
    **dict.fromkeys(("question", "method", "see", "correction", "error", "preset", "started"), ""),
    **{"chapter": "yours", "settings": {}, "environment": {}, "seed": None, "seconds": None},
    **{one: [] for one in ("answer", "changes", "claims", "numbers", "curves", "tables", "texts", "figures")},
}
"What is shown of a run that cannot be read."


def number_rows(run: Run) -> list[dict[str, Any]]:
    """What the run measured, curves aside."""
    return [
        {
            "name": one.name,
            "mean": one.summary.mean,
            "low": one.summary.low,
            "high": one.summary.high,
            "count": one.summary.count,
            "what": one.what,
        }
        for one in numbers(run)
    ]


def _claim(verdict: ClaimVerdict, found: Mapping[str, Summary]) -> dict[str, Any]:
    claim = verdict.claim
    return {
        "name": claim.name,
        "state": verdict.state,
        "value": verdict.value,
        "band": claim.band,
        "low": claim.low,
        "high": claim.high,
        "why": readable(claim.why),
        "source": claim.source,
        "reason": verdict.reason,
        "sentence": readable(sentence(verdict, found)),
        "items": list(claim.items),
    }


def _tables(run: Run) -> list[dict[str, Any]]:
    return [
        {
            "name": one.name,
            "columns": list(one.columns),
            "rows": [list(row) for row in one.rows[:ROWS]],
            "caption": readable(one.caption),
        }
        for one in run.tables
    ]
