"""Routes: each address, what it takes and what it gives. Who may ask is decided before, by the gate."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from regard.web import checks, inputs
from regard.web.answer import EventsResponse, as_file, as_json, event
from regard.web.fields import PICTURE, body, checked_id, query
from regard.web.graphs import graphs_document
from regard.web.refusal import Refusal
from regard.web.services import Services
from regard.web.streams import lab_events, run_events

PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
"Of figures and reports: no script, and no origin of ours."
PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
"Of a page of the book: text and drawings of our own; its links lead to others like it."
Handler = Callable[[Request, Services], Awaitable[Response]]


async def lab(request: Request, services: Services) -> Response:
    query(request).end()
    return as_json(await asyncio.to_thread(lambda: services.lab.overview(services.jobs.documents())))


async def experiment(request: Request, services: Services) -> Response:
    name = checked_id(request.path_params["name"])
    known = await services.experiments()
    found = known.get(name) or await asyncio.to_thread(services.lab.yours, name)
    if found is None:
        raise Refusal(404, "no experiment of that name", name, "choose one of the list")
    return as_json(found)


async def runs(request: Request, services: Services) -> Response:
    asked = query(request)
    name, limit = asked.text("experiment", 100, None), asked.whole("limit", 1, 1000, 100)
    before = asked.text("before", 128, None)
    asked.end()
    return as_json(await asyncio.to_thread(services.lab.listed, name, limit, before))


async def run(request: Request, services: Services) -> Response:
    return as_json(await asyncio.to_thread(services.lab.run, checked_id(request.path_params["id"])))


async def figure(request: Request, services: Services) -> Response:
    id, number = checked_id(request.path_params["id"]), request.path_params["number"]
    drawn = await asyncio.to_thread(services.lab.figure, id, min(number, 10_000))
    return Response(drawn, media_type="image/svg+xml", headers={"content-security-policy": PICTURE_POLICY})


async def share(request: Request, services: Services) -> Response:
    name, page = await asyncio.to_thread(services.lab.share, checked_id(request.path_params["id"]))
    headers = {
        "content-security-policy": PICTURE_POLICY,
        "content-disposition": f'attachment; filename="{name}.html"',
    }
    return Response(page, media_type="text/html; charset=utf-8", headers=headers)


async def compare(request: Request, services: Services) -> Response:
    asked = query(request)
    first, second = asked.id("first"), asked.id("second")
    asked.end()
    return as_json(await asyncio.to_thread(services.lab.compare, first, second))


async def models(request: Request, services: Services) -> Response:
    return as_json(await asyncio.to_thread(services.lab.known_models))


async def graphs(request: Request, services: Services) -> Response:
    return as_json(graphs_document(services.bundled.graphs))


async def graph(request: Request, services: Services) -> Response:
    asked, id = query(request), checked_id(request.path_params["id"])
    centre, hops = asked.whole("centre", 0, 10**7, None), asked.whole("hops", 1, 3, 2)
    asked.end()
    return as_json(await asyncio.to_thread(services.lab.graph, id, centre, hops))


async def mixtures(request: Request, services: Services) -> Response:
    return as_json(await asyncio.to_thread(services.lab.mixtures))


async def all_checks(request: Request, services: Services) -> Response:
    found = await asyncio.to_thread(checks.listed, services.lab.store)
    return as_json({"kind": "checks", "version": 1, "checks": found})


async def check(request: Request, services: Services) -> Response:
    id = checked_id(request.path_params["id"])
    return as_json(await asyncio.to_thread(checks.document, services.lab.store, id))


async def explanation(request: Request, services: Services) -> Response:
    names = {key: checked_id(value) for key, value in request.path_params.items()}
    told = await services.worker.ask("explain", {"slug": "", **names})
    headers = {"content-security-policy": PAGE_POLICY}
    return Response(told["page"], media_type="text/html; charset=utf-8", headers=headers)


async def operator(request: Request, services: Services) -> Response:
    return as_json(await services.worker.ask("operator", inputs.operator(query(request))))


async def job_start(request: Request, services: Services) -> Response:
    asked = await body(request)
    chosen = inputs.job(asked)
    if chosen["experiment"] not in await services.experiments():
        raise Refusal(404, "no experiment of that name", chosen["experiment"], "choose one of the list")
    told = await services.worker.ask("changes", chosen)
    job = await services.jobs.start(chosen["experiment"], chosen["preset"], chosen["seed"], told["changes"])
    return as_json(job.document(), 201)


async def job(request: Request, services: Services) -> Response:
    return as_json(services.jobs.find(checked_id(request.path_params["id"])).document())


async def job_stop(request: Request, services: Services) -> Response:
    return as_json(services.jobs.stop(checked_id(request.path_params["id"])).document())


async def resume(request: Request, services: Services) -> Response:
    line, recorded = await asyncio.to_thread(services.lab.line, checked_id(request.path_params["id"]))
    if recorded:
        raise Refusal(409, "a recorded run has ended", line.id, "run the experiment anew")
    return as_json((await services.jobs.resume(line)).document(), 201)


async def attention(request: Request, services: Services) -> Response:
    chosen = inputs.attention(await body(request, PICTURE))
    chosen["place"] = await asyncio.to_thread(services.lab.place, chosen["model"])
    return as_json(await services.worker.ask("attention", chosen | {"name": chosen["place"]["name"]}))


async def next_token(request: Request, services: Services) -> Response:
    chosen = inputs.prompt(await body(request))
    chosen["place"] = await asyncio.to_thread(services.lab.place, chosen["model"])
    return as_json(await services.worker.ask("next", chosen))


async def generate(request: Request, services: Services) -> Response:
    chosen = inputs.generation(await body(request))
    chosen["place"] = await asyncio.to_thread(services.lab.place, chosen["model"])
    return EventsResponse(_told(services, "generate", chosen))


async def beam(request: Request, services: Services) -> Response:
    chosen = inputs.beam(await body(request))
    chosen["place"] = await asyncio.to_thread(services.lab.place, chosen["model"])
    return EventsResponse(_told(services, "beam", chosen))


async def _told(services: Services, do: str, chosen: dict[str, Any]) -> AsyncGenerator[bytes, None]:
    async with aclosing(services.worker.stream(do, chosen)) as steps:
        async for step in steps:
            yield event(step)


async def events(request: Request, services: Services) -> Response:
    return EventsResponse(lab_events(services.streams, services.pulse))


async def events_of_run(request: Request, services: Services) -> Response:
    id, last = checked_id(request.path_params["id"]), request.headers.get("last-event-id", "0")
    await asyncio.to_thread(services.lab.line, id)
    since = int(last) if last.isdigit() and len(last) < 16 else 0
    return EventsResponse(run_events(services.streams, lambda: services.lab.line(id)[0], since))


async def static(request: Request, services: Services) -> Response:
    found = services.files.get(request.url.path)
    if found is None and request.url.path == "/":
        raise Refusal(
            503,
            "the pages are not built",
            "no index.html",
            "the documents under /api/ are there all the same",
        )
    if found is None:
        raise Refusal(404, "no such page", request.url.path, "begin at /")
    return as_file(found, request)


TABLE: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/api/lab", lab),
    ("GET", "/api/experiments/{name}", experiment),
    ("GET", "/api/runs", runs),
    ("GET", "/api/runs/{id}", run),
    ("GET", "/api/runs/{id}/figures/{number:int}.svg", figure),
    ("GET", "/api/runs/{id}/share.html", share),
    ("GET", "/api/runs/{id}/events", events_of_run),
    ("GET", "/api/compare", compare),
    ("GET", "/api/models", models),
    ("GET", "/api/graphs", graphs),
    ("GET", "/api/graphs/{id}", graph),
    ("GET", "/api/mixtures", mixtures),
    ("GET", "/api/checks", all_checks),
    ("GET", "/api/checks/{id}", check),
    ("GET", "/docs/check/{contract}.html", explanation),
    ("GET", "/docs/check/{contract}/{slug}.html", explanation),
    ("GET", "/api/operator", operator),
    ("GET", "/api/jobs/{id}", job),
    ("GET", "/api/events", events),
    ("POST", "/api/jobs", job_start),
    ("POST", "/api/jobs/{id}/stop", job_stop),
    ("POST", "/api/runs/{id}/resume", resume),
    ("POST", "/api/attention", attention),
    ("POST", "/api/next", next_token),
    ("POST", "/api/generate", generate),
    ("POST", "/api/beam", beam),
    ("GET", "/{path:path}", static),
)
"Every route: its method, its address, what answers it."


def routes(services: Services) -> list[Route]:
    """The table as Starlette takes it."""

    def bound(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await handler(request, services)

        return answer

    return [Route(path, bound(handler), methods=[method]) for method, path, handler in TABLE]
