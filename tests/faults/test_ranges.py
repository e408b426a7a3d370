"""Every setting of every experiment at values that make no sense: refused in three lines, or of its type."""

from collections import Counter
from math import isfinite
from typing import Any

import pytest

from regard.errors import RegardError
from regard.lab import registry
from regard.lab.settings import change, listing

VALUES = ("0", "-1", "1" + 18 * "0", "nan", "inf", "-inf", "1e308", "x", "", "()", ",", "none", "true", "1.5", "√", "0,0", "-1,-1", "../..", "\0")  # fmt: skip


def numbers(value: object) -> list[float]:
    found = value if isinstance(value, tuple) else (value,)
    return [one for one in found if isinstance(one, int | float) and not isinstance(one, bool)]


def after(settings: Any, setting: str, value: str) -> Any:
    """What a setting is after a change; an error where it is refused."""
    try:
        changed = change(settings, [f"{setting}={value}"])
    except RegardError as error:
        return error
    return {name: found for name, found, _ in listing(changed)}[setting]


@pytest.mark.slow
def test_every_setting_of_every_experiment_refuses_what_makes_no_sense() -> None:
    tried = Counter[str]()
    for name in registry.names():
        settings = registry.find(name)[0].presets["quick"]
        for setting, before, _ in listing(settings):
            for value in VALUES:
                found = after(settings, setting, value)
                where = (name, setting, value, found)
                refused = isinstance(found, RegardError)
                tried.update(["refused" if refused else "accepted"])
                assert refused or found is None or before is None or type(found) is type(before), where
                assert all(isfinite(one) and abs(one) < 1e12 for one in numbers(found)), where
                assert found != () or before == (), where
    print(tried)
    assert tried.total() > 3000 and tried["refused"] > 0.7 * tried.total(), tried
