"""`regard.check(obj)`: a class, function or object that is here already, as in a notebook."""

import copy
import inspect
import textwrap
from typing import Any

from regard.checker.contracts.table import CONTRACTS, named
from regard.checker.examine import examine
from regard.checker.process.session import raised
from regard.checker.reading.source import Source
from regard.checker.report.report import Report
from regard.checker.target import check_file, choose
from regard.checker.wishes import Wishes
from regard.checker.workbench import Workbench
from regard.errors import RegardError


class Here:
    """Answers requests in this process: for what a person has in hand, and trusts."""

    def __init__(self, thing: Any) -> None:
        from regard.checker.process.inside import Inside

        # Probing changes weights: a person's own object is left as it is.
        self.inside = Inside(
            {0: thing if inspect.isclass(thing) or inspect.isfunction(thing) else copy.deepcopy(thing)}
        )

    def ask(self, verb: str, *values: Any, **named: Any) -> Any:
        """The result of one request; Raised otherwise."""
        from regard.checker.process.inside import told

        try:
            return getattr(self.inside, verb)(*values, **named)
        except Exception as error:
            raise raised(told(error, self.inside.module)) from error


def check(
    thing: Any,
    *,
    contract: str | None = None,
    level: str = "default",
    map: dict[str, str] | None = None,
    seed: int = 0,
    strict: bool | None = None,
    conventions: tuple[str, ...] = (),
    make: str = "",
    call: str = "",
) -> Report:
    """The verdict on a thing in hand: it runs in this process, without limits; a file (its path) runs in one of its own."""
    wishes = Wishes(map=map or {}, strict=strict, conventions=tuple(conventions), make=make, call=call)
    if isinstance(thing, str) or hasattr(thing, "__fspath__"):
        return check_file(str(thing), contract=contract, level=level, wishes=wishes, seed=seed)
    maker = inspect.isclass(thing) or inspect.isfunction(thing)
    name = thing.__name__ if maker else type(thing).__name__
    source = Source(_text(thing if maker else type(thing)))
    line = Here(thing)
    described = line.ask("describe", 0, name)
    member = described["member"]
    wanted = named(contract) if contract else None
    chosen = choose([member], source, name=name, wanted=wanted)
    if not chosen:
        known = ", ".join(c.name for c in CONTRACTS)
        raise RegardError(
            "this looks like no contract", name, f"say which: check(…, contract=NAME), one of {known}"
        )
    wishes.heeded(chosen)
    bench = Workbench(line, member, [member], source, made=described["made"], **wishes.bench(source.text))
    return Report(target=name, verdicts=(examine(chosen[0][1], bench, seed=seed),), level=level)


def _text(thing: Any) -> str:
    """Its source, at the lines where it stands in its file or cell."""
    try:
        lines, first = inspect.getsourcelines(thing)
    except (OSError, TypeError):
        return ""
    return "\n" * (first - 1) + textwrap.dedent("".join(lines))
