"""The command `regard`."""

import os
import sys
from collections.abc import Sequence

from regard.cli.words import checked, parser
from regard.errors import RegardError


def busy() -> bool:
    """Whether others use this machine: then threads that spin while they wait would slow everybody down.

    Alone, spinning makes a step of a small model 1.6 times quicker; beside a busy process, far slower.
    """
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > 0.5


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words say; 0 when done, 2 for a mistake told in three lines, 130 when stopped."""
    if busy():
        # Set before torch is loaded, which reads it then.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    top = parser()
    try:
        arguments = top.parse_args(checked(top, list(sys.argv[1:] if words is None else words)))
        if not arguments.verb:
            top.print_help()
            return 0
        return arguments.do(arguments) or 0
    except RegardError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; what was measured is kept", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of a pipe went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
