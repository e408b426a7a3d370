import json
from dataclasses import replace
from pathlib import Path

import pytest

from regard.cli.main import main


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys, *words: str) -> tuple[int, str, str]:
    status = main(words)
    return status, *capsys.readouterr()


def test_coverage_lists_all_items(capsys) -> None:
    items = json.loads(told(capsys, "list", "--coverage", "--json")[1])
    assert (
        [one["item"] for one in items] == list(range(1, 94))
        and items[22]["owner"] == "scaled-dot-product"
        and items[41]["state"] == "not applicable"
    )


def test_prove_lists_every_theorem_or_shows_one_in_full(capsys) -> None:
    assert main(["prove", "beam-search", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["name"] == "beam-search" and found["failed"] == [] and len(found["trials"]) == 2
    assert main(["prove", "similarity-axioms"]) == 0
    out = capsys.readouterr().out
    assert "s(x, y) = s(y, x)" in out and "vectors of other lengths" in out


@pytest.mark.slow
def test_prove_exits_with_one_when_a_step_fails(capsys, monkeypatch) -> None:
    from regard.theory import library

    theorem = library.find("beam-search")
    wrong = replace(theorem.steps[0], formula="-0.65 - 0.6 = -1.26")
    monkeypatch.setattr(library, "everything", lambda: [replace(theorem, steps=(wrong, *theorem.steps[1:]))])
    assert main(["prove"]) == 1
    assert "step 1" in capsys.readouterr().out


def test_prove_tells_an_unknown_name(capsys) -> None:
    assert main(["prove", "beam-serch"]) == 2
    assert (
        capsys.readouterr().err
        == "no theorem of that name\n  got: 'beam-serch'\n  fix: did you mean 'beam-search'?\n"
    )


@pytest.mark.slow
def test_data_lists_single_files_and_albums(capsys) -> None:
    status, out, _ = told(capsys, "data", "--json")
    listed = {one["name"]: one for one in json.loads(out)}
    assert status == 0 and {"cora", "grimm", "membranes", "pets"} <= set(listed)
    assert listed["membranes"]["bytes"] > 1_000_000 and "github" in listed["pets"]["origins"][0]


def test_unknown_data_gets_the_nearest(capsys) -> None:
    status, _, err = told(capsys, "data", "coral")
    assert (status, err) == (2, "no dataset of that name\n  got: 'coral'\n  fix: did you mean 'cora'?\n")


def test_unknown_data_gets_the_whole_list_albums_too(capsys) -> None:
    _, _, err = told(capsys, "data", "zzz")
    assert all(name in err for name in ("cora", "grimm", "membranes", "pets"))
