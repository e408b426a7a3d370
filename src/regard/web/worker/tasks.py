"""What the worker process can be asked for, by name."""

from collections.abc import Callable, Iterator
from typing import Any

from regard.lab import registry
from regard.lab.documents.form import experiment_document, form, words
from regard.lab.settings import change, check, choose
from regard.web.refusal import Refusal
from regard.web.worker.look import look
from regard.web.worker.models import Models
from regard.web.worker.operator import operator
from regard.web.worker.speak import beam, generate, next_token


def catalogue(models: Models, fields: dict[str, Any]) -> dict[str, Any]:
    """The document of every experiment that comes with the package."""
    return {"experiments": [experiment_document(one) for one in registry.everything()]}


def changes(models: Models, fields: dict[str, Any]) -> dict[str, Any]:
    """The words by which a run's settings differ from the preset's, held to their types and ranges."""
    experiment, _ = registry.find(fields["experiment"])
    preset = choose(experiment.presets, fields["preset"])
    said = words(form(preset), fields["settings"])
    check(change(preset, said))
    return {"changes": said}


def explain(models: Models, fields: dict[str, Any]) -> dict[str, Any]:
    """The page of a contract of the checker, or of one of its mistakes."""
    from regard.lab.book.docs.contracts import alone, explained

    page = explained(fields["contract"], fields["slug"])
    if page is None:
        got = f"{fields['contract']} {fields['slug']}".strip()
        raise Refusal(404, "no such contract or mistake", got, "regard check --list names them")
    return {"page": alone(page)}


TASKS: dict[str, Callable[[Models, dict[str, Any]], dict[str, Any]]] = {
    "catalogue": catalogue,
    "changes": changes,
    "attention": look,
    "next": next_token,
    "operator": operator,
    "explain": explain,
}
STREAMS: dict[str, Callable[[Models, dict[str, Any]], Iterator[dict[str, Any]]]] = {
    "generate": generate,
    "beam": beam,
}
