from dataclasses import replace
from pathlib import Path

from regard.lab.settings import check
from regard.lab.store.fingerprint import plain
from regard.lab.train.choice import Asked, choose
from regard.lab.train.settings import label, stored_settings


def test_settings_come_back_from_what_a_run_wrote(mine: Path) -> None:
    chosen = choose(
        Asked(texts=("mine.txt",), minutes=2.0, changes=("model.depth=3", "plan.betas=0.8,0.9"))
    ).settings
    check(chosen)
    stored = plain(chosen)
    assert stored["texts"][0]["sha256"], "a text that changes is noticed"
    assert stored_settings({"settings": stored}) == chosen
    assert stored_settings({"settings": stored}) != replace(chosen, minutes=3.0)


def test_a_training_is_called_by_its_first_text() -> None:
    assert label(("tiny-shakespeare",)) == "tiny_shakespeare"
    assert label(("/a/война и мир.txt",)) == "война_и_мир" and label(("/.txt",)) == "text"
    assert len(label(("a" * 99,))) == 24


def test_a_folder_gives_its_own_name(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "tales").mkdir()
    monkeypatch.chdir(tmp_path / "tales")
    assert [label([word]) for word in (".", "../tales/", "../tales")] == ["tales", "tales", "tales"]
