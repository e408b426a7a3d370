from dataclasses import replace

import pytest

from regard.errors import RegardError
from regard.lab.runner import run
from regard.lab.store import fingerprint
from regard.lab.store.resumption import require_experiment, require_unchanged, saved, since


@pytest.fixture
def begun(experiment, store, source):
    return run(experiment, experiment.presets["quick"], store, source=source, preset="quick", minutes=1e-9)


def test_what_changed_since_a_run_began_is_named(begun, experiment, source) -> None:
    now = fingerprint.parts(experiment.presets["quick"], seed=0, source=source)
    assert since(begun, now) == {}
    full = fingerprint.parts(experiment.presets["full"], seed=0, source=source)
    assert since(begun, full) == {"settings": "seeds=3 is now 5"}
    code = dict.fromkeys(now["code"], "0") | {"new.py": "1"}
    told = since(begun, now | {"code": code, "versions": now["versions"] | {"torch": "9"}})["code"]
    assert "more files" in told and told.endswith("is now 9")


def test_what_an_experiment_saved_is_what_no_run_has_by_itself(begun) -> None:
    assert saved(begun) == []
    (begun.path / "pictures").mkdir()
    (begun.path / "pictures" / "vision.json").write_text("{}")
    (begun.path / "checkpoints").mkdir()
    assert saved(begun) == ["checkpoints"]


def test_changed_code_alone_can_be_accepted() -> None:
    require_unchanged({}, ())
    require_unchanged({"code": "a.py"}, ["code"])
    with pytest.raises(RegardError) as caught:
        require_unchanged({"data": "the file a.txt", "code": "a.py"}, ["code"])
    assert str(caught.value) == "this run was begun with other data\n  got: the file a.txt\n  fix: start anew without --resume"  # fmt: skip
    with pytest.raises(RegardError, match=r"other settings and other code\n  got: x=1 is now 2; a\.py\n"):
        require_unchanged({"settings": "x=1 is now 2", "code": "a.py"}, ())


def test_another_experiment_is_refused(begun) -> None:
    require_experiment(begun, "heights")
    with pytest.raises(RegardError, match="this run belongs to another experiment"):
        require_experiment(begun, "widths")


def test_a_run_of_another_verb_names_its_command(experiment, store, source) -> None:
    other = replace(experiment, verb="train")
    begun = run(other, other.presets["quick"], store, source=source, preset="quick")
    with pytest.raises(RegardError) as caught:
        require_experiment(begun, "widths")
    assert caught.value.fix == f"regard train --resume {begun.id}"
