"""HTTP downloads: bounded in size and time, resumed after a cut, not trusted before their hash."""

import base64
import http.client
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

Progress = Callable[[int, int], None]
"Told how many bytes have come, and of how many."

PAGE = 32 * 2**20
BLOCK = 2**16


class NotReached(Exception):
    """Why one origin did not give the file, in a few words; the download layer adds the rest."""


class Passing(NotReached):
    """A failure that may be over when asked again."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long to wait for bytes."""

    silence: float = 20.0
    "Seconds without a byte."
    whole: float = 900.0
    "Seconds for one file."
    attempts: int = 4
    "Attempts in a row that bring nothing new."
    pause: float = 0.5
    "Seconds before the second attempt; doubled before each one after."


@dataclass(frozen=True)
class Remote:
    """A file on another machine.

    >>> Remote("https://me:secret@example.org:8000/simple").host
    'example.org:8000'
    """

    address: str
    "Where it is: http or https, with name and password where it takes them."
    patience: Patience = Patience()
    "How long to wait."
    cert: str = ""
    "A file of trusted certificates, where the system's own are not enough."

    @property
    def host(self) -> str:
        """The machine, without the password that the address may carry."""
        return urlsplit(self.address).netloc.rpartition("@")[2]

    def read(self) -> bytes:
        """The bytes of a small page."""
        for attempt in range(self.patience.attempts):
            try:
                return self._read()
            except Passing:
                if attempt + 1 == self.patience.attempts:
                    raise
                time.sleep(self.patience.pause * 2**attempt)
        raise AssertionError("patience allows at least one attempt")

    def download(self, part: Path, size: int, progress: Progress | None = None) -> None:
        """Bring `size` bytes into `part`, going on from where a cut left it."""
        until, idle = time.monotonic() + self.patience.whole, 0
        part.touch()
        while (done := part.stat().st_size) < size:
            try:
                self._receive(part, size, until, progress)
            except Passing:
                idle = 0 if part.stat().st_size > done else idle + 1
                if idle >= self.patience.attempts:
                    raise
                time.sleep(self.patience.pause * 2**idle)

    def _read(self) -> bytes:
        page, until = bytearray(), time.monotonic() + self.patience.whole
        with closing(self._ask({"Accept": "text/html"})) as response:
            for block in self._blocks(response, until):
                page += block
                if len(page) > PAGE:
                    raise NotReached(f"{self.host} sent a page of more than {PAGE} bytes")
        return bytes(page)

    def _receive(self, part: Path, size: int, until: float, progress: Progress | None) -> None:
        done = part.stat().st_size
        wanted = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={done}-"} if done else {})
        with closing(self._ask(wanted)) as response, part.open("r+b") as file:
            done = done if _continues(response, done) else 0
            file.truncate(done)
            file.seek(done)
            for block in self._blocks(response, until):
                done += len(block)
                if done > size:
                    raise NotReached(f"{self.host} sent more than the {size} bytes expected")
                file.write(block)
                if progress:
                    progress(done, size)
        if done < size:
            raise Passing(f"{self.host} stopped at {done} of {size} bytes")

    def _ask(self, headers: dict[str, str]) -> Any:
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https"):
            raise NotReached(f"'{parts.scheme}' addresses are not followed")
        request = Request(parts._replace(netloc=self.host, fragment="").geturl(), headers=headers)
        if parts.username:
            secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            # Unredirected: a password given for one machine is not passed on to another.
            request.add_unredirected_header(
                "Authorization", "Basic " + base64.b64encode(secret.encode()).decode()
            )
        with self._told(f"no connection to {self.host}"):
            return _opener(self.cert).open(request, timeout=self.patience.silence)

    def _blocks(self, response: Any, until: float) -> Iterator[bytes]:
        """The body as it comes; `read1` returns after one receive: a trickle cannot outlast the limit."""
        while True:
            if time.monotonic() > until:
                raise NotReached(f"{self.host} took longer than {self.patience.whole:g} s")
            with self._told(f"{self.host} broke off"):
                block = response.read1(BLOCK)
            if not block:
                return
            yield block

    @contextmanager
    def _told(self, otherwise: str) -> Iterator[None]:
        """What the network raises, in a few words; what may pass is told from what will not."""
        try:
            yield
        except HTTPError as error:
            error.close()
            passing = error.code >= 500 or error.code in (408, 429)
            raise (Passing if passing else NotReached)(f"{self.host} answered {error.code}") from error
        except (OSError, http.client.HTTPException) as error:
            reason = error.reason if isinstance(error, URLError) else error
            if isinstance(reason, ssl.SSLCertVerificationError):
                raise NotReached(f"the certificate of {self.host} is not trusted here") from error
            if isinstance(reason, TimeoutError):
                raise Passing(f"{self.host} was silent for {self.patience.silence:g} s") from error
            # An unknown name or a closed port will not change in a moment; a person offline should not wait.
            final = isinstance(reason, (socket.gaierror, ConnectionRefusedError))
            raise (NotReached if final else Passing)(otherwise) from error


def _continues(response: Any, done: int) -> bool:
    return response.status == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {done}-")


def _opener(cert: str) -> OpenerDirector:
    """HTTP and HTTPS alone: the ready-made opener would also follow file and ftp addresses."""
    opener = OpenerDirector()
    try:
        secure = HTTPSHandler(context=ssl.create_default_context(cafile=cert or None))
    except OSError as error:
        raise NotReached(f"no certificates can be read from {cert}") from error
    plain = (
        ProxyHandler(),
        HTTPHandler(),
        HTTPRedirectHandler(),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
    )
    for handler in (secure, *plain):
        opener.add_handler(handler)
    return opener
