"""The child process that runs a person's code: reads a frame, does it, answers, until the stream ends."""

import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from regard.checker.process import wire
from regard.checker.process.limits import ProcessLimits, confine


def serve(asked: Callable[[int], bytes | None], tell: Callable[[bytes], Any], inside: Any) -> None:
    """Answer every frame; an exception of the person's is an answer too."""
    mine = os.getpid()
    while True:
        try:
            request = wire.read(asked)
        except EOFError:
            return
        reply = _frame(answer(inside, request), request.get("key", ""))
        # A fork in the person's code returns here twice: the copy must not speak.
        if os.getpid() != mine:
            os._exit(0)
        tell(reply)


def answer(inside: Any, request: dict[str, Any]) -> dict[str, Any]:
    """What came of one request."""
    try:
        assert request["verb"] in inside.VERBS
        return {"result": getattr(inside, request["verb"])(*request["values"], **request["named"])}
    except (
        BaseException
    ) as error:  # also sys.exit and KeyboardInterrupt: the person's code may raise anything
        from regard.checker.process.inside import told

        return {"raised": told(error, inside.module)}


def _frame(reply: dict[str, Any], key: str) -> bytes:
    try:
        return wire.pack(reply | {"key": key})
    except (wire.MalformedFrame, TypeError, ValueError, RecursionError) as error:
        return wire.pack(
            {
                "raised": {"kind": "Unsendable", "words": str(error)[:200], "line": None, "text": ""},
                "key": key,
            }
        )


def loaded(inside: str) -> Any:
    """What answers, made once torch is there: its cost is not the person's."""
    import torch

    module, _, name = inside.partition(":")
    answers = getattr(importlib.import_module(module), name)()
    torch.set_num_threads(1)
    sys.dont_write_bytecode = True
    sys.argv = [""]
    return answers


def live(limits: ProcessLimits, ready: Callable[[], Any]) -> None:
    """Keep the two streams for frames; what the person prints goes to the third. Ends the process."""
    confine(limits)
    asked = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    inside = ready()

    def tell(frame: bytes) -> None:
        answers.write(frame)
        answers.flush()

    tell(wire.pack({"result": "ready"}))
    serve(asked.read, tell, inside)
    # Threads and exit handlers of the person's code must not delay the end.
    os._exit(0)


if __name__ == "__main__":
    words, made_by = sys.argv[1:3]
    # Loaded within the limits, and before the person's file.
    live(ProcessLimits(**json.loads(words)), lambda: loaded(made_by))
