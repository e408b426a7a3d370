"""The worker process from inside: reads requests, computes, answers line by line; quick ones go between.

A stream (generation, beam search) is taken step by step, so that what is quick is answered between two of
its tokens, and so that it can be called off.
"""

import json
import os
import queue
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from regard.errors import RegardError
from regard.lab.documents.plain import plain


class Bench:
    """Requests that come in, and answers that go out."""

    def __init__(self, roots: list[Path], incoming: Any, outgoing: Any) -> None:
        from regard.web.worker.models import Models

        self.models = Models(roots)
        self.incoming, self.outgoing = incoming, outgoing
        self.lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.stream: tuple[int, Iterator[dict[str, Any]]] | None = None

    def run(self) -> None:
        """Answer until nobody asks any more."""
        threading.Thread(target=self._listen, daemon=True).start()
        self._say({"id": 0, "ready": True})
        while True:
            try:
                request = self.lines.get(block=self.stream is None)
            except queue.Empty:
                self._step()
                continue
            if request is None:
                return
            self._take(request)

    def _listen(self) -> None:
        for line in self.incoming:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def _take(self, request: dict[str, Any]) -> None:
        from regard.web.worker.tasks import STREAMS, TASKS

        number, do = request["id"], request["do"]
        if do == "cancel":
            if self.stream is not None and self.stream[0] == number:
                self.stream = None
            self._say({"id": number, "end": True})
        elif do in STREAMS:
            self.stream = number, _computed(lambda: STREAMS[do](self.models, request["fields"]))
        else:
            for answer in _computed(lambda: iter([TASKS[do](self.models, request["fields"])])):
                self._say({"id": number} | answer)
            self._say({"id": number, "end": True})

    def _step(self) -> None:
        assert self.stream is not None
        number, steps = self.stream
        answer = next(steps, None)
        if answer is None:
            self.stream = None
            self._say({"id": number, "end": True})
        else:
            self._say({"id": number} | answer)

    def _say(self, line: dict[str, Any]) -> None:
        self.outgoing.write(json.dumps(plain(line), separators=(",", ":")).encode() + b"\n")
        self.outgoing.flush()


def _computed(steps: Any) -> Iterator[dict[str, Any]]:
    """Answers, or the refusal that ended them."""
    try:
        for answer in steps():
            yield {"answer": answer}
    except RegardError as error:
        yield {"refused": [getattr(error, "status", 400), error.what, error.got, error.fix]}
    except Exception as error:  # whatever a stored model does, the process goes on
        told = f"{type(error).__name__}: {error}"[:300]
        yield {"refused": [503, "this could not be computed", told, "try another text or another model"]}


def main(roots: list[str]) -> None:
    """Answer on what was the standard output; what prints goes to the standard error instead."""
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if hasattr(os, "nice"):
        os.nice(5)  # a training on the same machine goes first
    import torch

    torch.set_num_threads(max(1, min(2, torch.get_num_threads())))
    Bench([Path(root) for root in roots], sys.stdin.buffer, outgoing).run()


if __name__ == "__main__":
    main(sys.argv[1:])
