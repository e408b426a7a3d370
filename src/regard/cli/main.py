"""Entry point of the command `regard`: exit codes and signals."""

import os
import sys
import time
from collections.abc import Sequence

from regard.cli.load import busy
from regard.cli.output import write_anywhere
from regard.cli.parser import checked, parser
from regard.errors import RegardError

PATIENCE = 5.0
"Seconds that a mistake waits for the first process of several (torchrun) to tell it: then all are ended."


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words say; 0 when done, 2 for a mistake told in three lines, 130 when stopped."""
    top = parser()
    write_anywhere()
    measuring = False
    try:
        arguments = top.parse_args(checked(top, list(sys.argv[1:] if words is None else words)))
        if not arguments.verb:
            top.print_help()
            return 0
        measuring = arguments.verb in ("run", "book", "train")
        computing = ("run", "book", "bench", "train", "generate", "prove", "attention", "compare")
        if arguments.verb in computing and busy():
            # Set before torch is loaded, which reads it then.
            os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        return arguments.do(arguments) or 0
    except RegardError as error:
        if os.environ.get("RANK", "0") != "0":
            time.sleep(PATIENCE)
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; what was measured is kept" if measuring else "stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of a pipe went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
