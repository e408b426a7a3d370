"""`regard.show(run)`: a run in a notebook, as the browser shows it; its report where that cannot be."""

import re
from html import escape
from pathlib import Path
from typing import Any

from regard.arguments import told
from regard.errors import RegardError
from regard.lab.book.report import page
from regard.lab.book.svg import as_picture
from regard.lab.documents.embed import embedded
from regard.lab.documents.run import run_document
from regard.lab.store.run import Run
from regard.lab.store.runs import here


class ShownRun:
    """A run that draws itself in a notebook; `print` tells its claims."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def __repr__(self) -> str:
        return f"ShownRun({self.run.id}, {self.run.state})"

    def __str__(self) -> str:
        if self.run.problem:
            return str(self.run.problem)
        lines = [f"{self.run.id}: {self.run.state}", self.run.request["question"]]
        return "\n".join([*lines, *(f"  {one['sentence']}" for one in run_document(self.run)["claims"])])

    def _repr_html_(self) -> str:
        if self.run.problem:
            return f"<pre>{escape(str(self.run.problem))}</pre>"
        return embedded("regard-run", self._document, still(self.run))

    def _document(self) -> dict[str, Any]:
        """The run's page with its figures in it: in a notebook there is no server that would give them."""
        drawn = [(name, caption, self.run.figure(name)) for name, caption, _ in self.run.figures]
        figures = [
            {"name": name, "caption": caption, "svg": as_picture(svg)} for name, caption, svg in drawn if svg
        ]
        return run_document(self.run) | {"figures": figures}


def show(run: Any) -> ShownRun:
    """A run for a notebook: a Run, its folder, its id, or an experiment's name for its newest run."""
    if isinstance(run, Run):
        return ShownRun(run)
    if not isinstance(run, str | Path):
        raise RegardError("show takes a run", told(run), "pass its id, its folder, or an experiment's name")
    return ShownRun(here().find(str(run)))


def still(run: Run) -> str:
    """The report of a run as a piece of a page, in a frame that runs no script."""
    whole = page(run)
    found = re.search(r"<style>.*?</style>", whole, re.DOTALL), re.search(r"<main.*</main>", whole, re.DOTALL)
    parts = "".join(one[0] for one in found if one)
    return f'<iframe sandbox="" style="width:100%;height:34em;border:0" srcdoc="{escape(parts)}"></iframe>'
