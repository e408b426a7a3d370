"""`regard serve`: the server on this machine's own address, with a random token."""

import asyncio
import logging
import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from regard.errors import RegardError
from regard.lab.store.runs import Store
from regard.web.answer import as_json
from regard.web.bundle import Bundled
from regard.web.gate import LONGEST, Gate, new_token
from regard.web.refusal import Refusal, error_document
from regard.web.routes import routes
from regard.web.services import Services
from regard.web.static import static_files

HOST, PORT, TRIES = "127.0.0.1", 8765, 20
"Where it listens; where the usual port is taken, how many after it are tried."


@dataclass(frozen=True)
class ServerAddress:
    """Where a server listens, and the token that it asks for."""

    listening: socket.socket
    token: str

    @property
    def port(self) -> int:
        return self.listening.getsockname()[1]

    @property
    def url(self) -> str:
        """The whole address, to be opened."""
        return f"http://{HOST}:{self.port}/?token={self.token}"


def listen(port: int | None = None) -> ServerAddress:
    """A socket at that port; without one at the usual port, or the next that is free."""
    wanted = [port] if port is not None else range(PORT, PORT + TRIES)
    for one in wanted:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, one))
            listening.listen(128)
        except OSError as error:
            listening.close()
            if port is not None and isinstance(error, PermissionError):
                raise RegardError(
                    "this port is not for everyone", str(port), "--port 1024 or above"
                ) from error
        else:
            return ServerAddress(listening, new_token())
    where = f"{port}" if port is not None else f"{PORT} to {PORT + TRIES - 1}"
    raise RegardError("this port is in use", where, "--port 0 takes any that is free, or name another")


def application(services: Services, address: ServerAddress) -> ASGIApp:
    """All routes behind the gate."""
    app = Starlette(
        routes=routes(services),
        exception_handlers={RegardError: _told, HTTPException: _unknown, Exception: _broken},
    )
    return Gate(app, token=address.token, port=address.port)


def announce(address: ServerAddress) -> None:
    """Say where the lab is."""
    print(f"the lab is at {address.url}\nit is for this machine alone; Ctrl-C ends it", flush=True)


def serve(
    store: Store,
    *,
    port: int | None = None,
    open_page: bool = True,
    tell: Callable[[ServerAddress], None] = announce,
) -> None:
    """Serve until Ctrl-C; `tell` is told the address before the first request is taken."""
    address = listen(port)
    services = Services(store, Bundled(), static_files())
    tell(address)
    if open_page:
        threading.Timer(0.3, webbrowser.open, [address.url]).start()
    server(services, address).run(sockets=[address.listening])


class LabServer(uvicorn.Server):
    """Ends what its readers wait for before it waits for them: no page that is open holds up the end.

    Ctrl-C once lets runs come to their next step; twice leaves them to themselves.
    """

    def __init__(self, services: Services, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.services = services

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.services.begin()
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        ending = asyncio.create_task(self.services.close())
        await super().shutdown(sockets)
        while not ending.done() and not self.force_exit:
            await asyncio.wait({ending}, timeout=0.1)


def server(services: Services, address: ServerAddress) -> LabServer:
    """The server, ready to run on the socket of its address."""
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    return LabServer(
        services,
        uvicorn.Config(
            application(services, address),
            access_log=False,
            log_level="error",
            server_header=False,
            ws="none",
            http="h11",
            loop="asyncio",
            lifespan="off",
            h11_max_incomplete_event_size=LONGEST * 2,
            timeout_keep_alive=60,
            timeout_graceful_shutdown=1,
            limit_concurrency=500,
        ),
    )


async def _told(request: Request, error: Any) -> Response:
    """Three lines; a refusal has its own status."""
    status = error.status if isinstance(error, Refusal) else 400
    return as_json(error_document(error.what, error.got, error.fix), status)


async def _unknown(request: Request, error: Any) -> Response:
    what = {404: "no such page", 405: "no such method here"}.get(error.status_code, "this cannot be answered")
    return as_json(error_document(what, request.url.path, "begin at /"), error.status_code)


async def _broken(request: Request, error: Exception) -> Response:
    """What nobody foresaw; its words are for the terminal, not for the page."""
    told = error_document("the server made a mistake", type(error).__name__, "see the terminal it runs in")
    return as_json(told, 500)
