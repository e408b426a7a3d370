"""The page of an experiment: question, answer and figure, then how, what and whence."""

from regard.lab.book.report import render
from regard.lab.book.site.contents import BookContents, first_sentence, path
from regard.lab.book.site.page import Page
from regard.lab.store.run import Run


def experiment_page(run: Run, contents: BookContents) -> Page:
    """The page of one run."""
    body = render(
        "experiment.html",
        run=run,
        title=contents.title(run.name),
        experiment=contents.experiments.get(run.name),
        record=contents.records.get(run.name),
        changed=contents.stale.get(run.name, ()),
    )
    request = run.request
    return Page(
        path(run.name),
        contents.title(run.name),
        body,
        request["chapter"],
        first_sentence(run, contents.records.get(run.name)) or request["question"],
    )
