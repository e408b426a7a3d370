"""Every experiment at the smallest that each of its settings may be: it runs, or refuses in three lines."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from regard.errors import RegardError, Unreachable
from regard.lab import registry
from regard.lab.experiment import Context
from regard.lab.settings import change, listing

SECONDS = 5.0
"After this long an experiment is no longer asked for more."


def smallest(settings: Any, name: str, value: Any) -> list[Any]:
    """The settings with one of them as small as it may be."""
    found = []
    for text in ("0", "1", "1,1", "1,1,1", "0,0", "0,0,0") if not isinstance(value, bool | str) else ():
        with suppress(RegardError):
            found.append((text, change(settings, [f"{name}={text}"])))
    return found[:2]


@pytest.mark.proof
@pytest.mark.parametrize("name", registry.rooms())
def test_the_smallest_settings_run_or_are_refused(name: str, tmp_path: Path) -> None:
    experiment, _ = registry.find(name)
    settings = experiment.presets["quick"]
    faults = []
    for setting, value, _ in listing(settings):
        for text, changed in smallest(settings, setting, value):
            end = time.monotonic() + SECONDS
            folder = tmp_path / f"{setting}-{text}"
            folder.mkdir()
            events = experiment.run(changed, Context(folder=folder, deadline=end))
            try:
                for _ in events:
                    if time.monotonic() > end:
                        break
            except (RegardError, Unreachable):
                pass
            except Exception as error:
                faults.append(f"{setting}={text}: {type(error).__name__}: {error}"[:200])
    assert not faults, "\n".join(faults)
