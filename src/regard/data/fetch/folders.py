"""Data folders on this machine: the one a person names, then the cache."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from regard.errors import RegardError


def given_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The folder that `REGARD_DATA` names, or None.

    >>> given_folder({}) is None
    True
    """
    named = environment.get("REGARD_DATA", "")
    if named and not Path(named).expanduser().is_dir():
        raise RegardError(
            "REGARD_DATA names no folder", repr(named), "set it to a folder that holds data, or unset it"
        )
    return Path(named).expanduser() if named else None


def cache_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The folder that downloads are kept in: `REGARD_CACHE`, or the place this platform keeps caches in.

    >>> cache_folder({"XDG_CACHE_HOME": "/caches"}, "linux").as_posix()
    '/caches/regard'
    """
    named = environment.get("REGARD_CACHE", "")
    return Path(named).expanduser() if named else _platform_caches(environment, platform) / "regard"


def _platform_caches(environment: Mapping[str, str], platform: str) -> Path:
    setting = {"win32": "LOCALAPPDATA", "darwin": ""}.get(platform, "XDG_CACHE_HOME")
    # The XDG specification tells programs to ignore a relative path.
    if setting and Path(named := environment.get(setting, "")).is_absolute():
        return Path(named)
    below = {"win32": ("AppData", "Local"), "darwin": ("Library", "Caches")}.get(platform, (".cache",))
    return _home().joinpath(*below)


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise RegardError(
            "no folder for downloads",
            "a user without a home folder",
            "set REGARD_CACHE to a folder you can write to",
        ) from error
