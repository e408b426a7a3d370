"""Every message that people see: what is wrong, what was got, how to mend it."""

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType


class RegardError(ValueError):
    """A mistake a person can mend, told in three lines.

    >>> print(RegardError("no experiment of that name", "'runing'", "regard list shows them all"))
    no experiment of that name
      got: 'runing'
      fix: regard list shows them all
    """

    def __init__(self, what: str, got: str, fix: str) -> None:
        super().__init__(f"{what}\n  got: {got}\n  fix: {fix}")
        self.what, self.got, self.fix = what, got, fix

    def __reduce__(self) -> tuple[type["RegardError"], tuple[str, str, str]]:
        return type(self), (self.what, self.got, self.fix)


class Unreachable(RegardError):
    """Data that cannot be had here and now: what depends on it is not settled, and nothing else is wrong."""


class Uninstalled(RegardError, ImportError):
    """A package that is asked for and not there; whoever tries an import may catch it as such."""


class Stopped(KeyboardInterrupt):
    """Ctrl-C while a run is under way: what is kept. A bare KeyboardInterrupt came before or after."""

    def __init__(self, kept: str = "what was measured is kept") -> None:
        super().__init__(kept)


def package(name: str, what: str, fix: str) -> ModuleType:
    """An optional package by its name, loaded here; where it is missing, `what` needs it.

    >>> package("math", "this needs math", "pip install math").pi > 3
    True
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise Uninstalled(what, f"no module '{name.partition('.')[0]}'", fix) from error


def nearest(name: str, names: Iterable[str], otherwise: str) -> str:
    """The remedy for an unknown name: the nearest known one, or `otherwise`.

    >>> nearest("dept", ["depth", "width"], "name a setting")
    "did you mean 'depth'?"
    """
    close = get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else otherwise
