"""Entry point of the command `regard`: exit codes and signals."""

import argparse
import errno
import os
import sys
import time
from collections.abc import Sequence

from regard.cli.load import busy
from regard.cli.output import write_anywhere
from regard.cli.parser import checked, parser
from regard.errors import RegardError, Stopped

BEGIN = ("run", "book", "train", "reproduce")
"Verbs that begin runs, but not before torch is loaded."
PATIENCE = 5.0
"Seconds that a mistake waits for the first process of several (torchrun) to tell it: then all are ended."


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words say; 0 when done, 2 for a mistake told in three lines, 130 when stopped."""
    top = parser()
    write_anywhere()
    runs = False
    try:
        _require_place()
        arguments = top.parse_args(checked(top, list(sys.argv[1:] if words is None else words)))
        if not arguments.verb:
            top.print_help()
            return 0
        # Under torchrun, the first process alone has a run.
        runs = arguments.verb in BEGIN and os.environ.get("RANK", "0") == "0"
        computing = ("run", "book", "bench", "train", "generate", "prove", "attention", "compare")
        if arguments.verb in computing and busy():
            # Set before torch is loaded, which reads it then.
            os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        return _done(arguments)
    except RegardError as error:
        return _tell(error)
    except Stopped as stop:
        print(f"stopped; {stop}", file=sys.stderr)
        return 130
    except KeyboardInterrupt:
        none = "; no run was under way, so nothing is left to take up"
        print(f"stopped{none if runs else ''}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of a pipe went away
        _write_nowhere()
        return 0
    except OSError as error:
        return _tell(_refused(error))


def _done(arguments: argparse.Namespace) -> int:
    """Do what a verb does; a person's file that ends the program where it is loaded is a mistake."""
    try:
        return arguments.do(arguments) or 0
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # rich ends so where a pipe's reader went away
            return 0
        if arguments.verb == "check":  # its selftest ends so when it is told to
            raise
        raise RegardError(
            "the file ended the program", f"sys.exit({end.code})", "call it under if __name__ == '__main__':"
        ) from end


def _tell(error: RegardError) -> int:
    """Tell a mistake in its three lines; the first of several processes (torchrun) tells it for all."""
    if os.environ.get("RANK", "0") != "0":
        time.sleep(PATIENCE)
    print(error, file=sys.stderr)
    return 2


def _refused(error: OSError) -> RegardError:
    """What the system refuses where nobody foresaw it: a name that is too long, output to a full disk."""
    if error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT):
        _write_nowhere()
        return RegardError("the output cannot be written", "a full disk", "make room, or write elsewhere")
    name = str(error.filename or "")
    place = f": '{name[:100]}{'…' if len(name) > 100 else ''}'" if name else ""
    return RegardError(
        "the system refuses",
        f"{error.strerror or error}{place}",
        "look at the name, the rights and the room of that place",
    )


def _write_nowhere() -> None:
    """Let what is still to be printed go nowhere: its reader is away, or its disk full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _require_place() -> None:
    """Raise where the folder one stands in was removed: torch would end the process."""
    try:
        os.getcwd()
    except OSError as error:
        raise RegardError(
            "the folder you stand in is not there any more", error.strerror or str(error), "go to another: cd"
        ) from None
