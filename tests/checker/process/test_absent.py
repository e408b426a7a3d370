"""Stand-ins pass where a package is only named, and say its name where it is used."""

import importlib.util
import sys
from pathlib import Path

import pytest
import torch

from regard.checker.process.absent import Absent, AbsentModule, Finder, NotInstalled, guarded


@pytest.fixture
def loading(monkeypatch):
    def set_(on: bool) -> Absent:
        monkeypatch.setattr(Absent, "loading", on)
        return Absent("einops")

    return set_


def test_it_may_be_named_called_and_kept(loading) -> None:
    found = loading(False).layers.Rearrange("b n -> n b")
    assert found.name == "einops.layers.Rearrange"
    assert not isinstance(3, found)


def test_while_loading_decorators_and_annotations_pass(loading) -> None:
    absent = loading(True)

    def f() -> None: ...

    assert absent.jit(f) is f
    assert absent.jit(fast=True)(f) is f
    assert absent["b n"] is absent
    assert absent | None is absent


@pytest.mark.parametrize(
    "use",
    [
        lambda a: torch.ones(2) + a,
        lambda a: torch.softmax(a, 0),
        lambda a: a[0],
        lambda a: list(a),
        lambda a: bool(a),
        lambda a: 2 * a,
        lambda a: a @ a,
    ],
)
def test_what_uses_it_says_its_name(loading, use) -> None:
    with pytest.raises(NotInstalled, match=r"^einops\.rearrange$"):
        use(loading(False).rearrange(torch.ones(2)))


def test_a_class_that_builds_on_it_cannot_be_made(loading) -> None:
    class Layer(loading(True).Module):  # type: ignore[misc]
        pass

    with pytest.raises(NotInstalled, match=r"einops\.Module"):
        Layer(3)


def test_an_import_that_is_guarded_or_only_asked_for_is_not_stood_in(tmp_path: Path, monkeypatch) -> None:
    finder = Finder(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, finder])
    (tmp_path / "mine.py").write_text(
        "try:\n    import nowhere_a\nexcept ImportError:\n    nowhere_a = None\nimport nowhere_b.part as part\n"
    )
    spec = importlib.util.spec_from_file_location("mine", tmp_path / "mine.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.nowhere_a is None
    assert isinstance(module.part, AbsentModule)
    assert finder.names == {"nowhere_b"}
    assert importlib.util.find_spec("nowhere_c") is None
    for name in ("nowhere_b", "nowhere_b.part"):
        sys.modules.pop(name, None)


def test_a_try_that_expects_another_error_is_no_guard(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("try:\n    import x\nexcept ValueError:\n    pass\n")
    assert not guarded(str(file), 2)
