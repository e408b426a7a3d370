import os
import shutil
from pathlib import Path

import pytest

from regard.claims import Claim
from regard.errors import RegardError
from regard.lab.store.runs import Store, Wanted
from regard.lab.store.writer import Writer

CLAIM = Claim(name="height", low=1.0, why="so", source="here")


def begun(store: Store, name: str = "heights", second: int = 0) -> Writer:
    started = f"2026-01-01T00:00:{second:02}+00:00"
    return store.create(name, "quick", {"name": name, "claims": [CLAIM.plain()], "started": started})


def test_runs_are_found_by_id_and_by_name_the_newest_first(store: Store) -> None:
    first, second = begun(store, second=2), begun(store, second=1)
    for writer in (first, second):
        writer.close()
    os.rename(second.path, second.path.with_name("zzz-a-copy"))
    assert store.find("zzz-a-copy").name == "heights"
    assert store.find("heights").id == first.path.name


def test_a_name_whose_runs_lack_what_is_wanted_gets_the_remedy_for_it(store: Store) -> None:
    begun(store).close()
    with pytest.raises(RegardError, match=r"no run of heights sings\n.*\n  fix: teach it"):
        store.find("heights", Wanted("sings", lambda run: False, "teach it"))


def test_an_unknown_run_gets_the_nearest_name(store: Store) -> None:
    begun(store).close()
    with pytest.raises(RegardError) as caught:
        store.find("hights")
    assert str(caught.value) == "no run of that name\n  got: 'hights'\n  fix: did you mean 'heights'?"


def test_a_place_that_is_a_file_is_told_in_three_lines(tmp_path) -> None:
    (tmp_path / "runs").write_text("")
    with pytest.raises(RegardError) as caught:
        begun(Store(tmp_path / "runs"))
    assert str(caught.value) == (
        f"runs go to a folder\n  got: {tmp_path / 'runs'}, a file\n"
        "  fix: move it away, or set REGARD_RUNS to a folder"
    )
    with pytest.raises(RegardError, match="runs go to a folder"):
        Store(tmp_path / "runs").runs()


def test_a_damaged_run_is_refused_in_three_lines_where_it_is_named(store: Store) -> None:
    writer = begun(store)
    writer.finish("finished", [], seconds=1.0)
    writer.close()
    log = writer.path / "log.jsonl"
    log.write_bytes(log.read_bytes()[:-5])
    with pytest.raises(RegardError) as caught:
        store.find(writer.path.name)
    size = log.stat().st_size
    assert str(caught.value) == (
        f"this run's folder is damaged\n  got: {writer.path}: log.jsonl has {size} bytes, not {size + 5}\n"
        f"  fix: run the experiment again; what is still whole of its measurements stands in {log}"
    )


def test_a_run_of_another_format_is_refused_in_three_lines_where_it_is_named(store: Store) -> None:
    old = store.root / "heights-quick-20260101-000000000-abcdef"
    shutil.copytree(Path(__file__).with_name("format-1"), old)
    with pytest.raises(RegardError) as caught:
        store.find("heights")
    assert str(caught.value) == (
        f"this run was written by an older version of regard\n  got: {old / 'run.json'}: format 1, this version reads 2\n"
        "  fix: run the experiment again, or read it with the version that wrote it"
    )


def test_a_run_is_removed_unless_it_is_running(store: Store) -> None:
    writer = begun(store)
    with pytest.raises(RegardError):
        store.remove(store.find("heights"))
    assert writer.path.exists()
    writer.close()
    store.remove(store.find("heights"))
    assert not writer.path.exists()
