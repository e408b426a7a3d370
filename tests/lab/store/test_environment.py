import subprocess
from pathlib import Path

import torch

from regard.lab.store import environment


def test_it_names_the_versions_that_compute() -> None:
    found = environment.environment()
    assert (
        found["torch"].split("+")[0] == torch.__version__.split("+")[0]
        and found["threads"] == torch.get_num_threads()
    )


def test_a_commit_with_changes_is_marked(tmp_path: Path, monkeypatch) -> None:
    module = tmp_path / "src" / "regard" / "lab" / "store" / "environment.py"
    module.parent.mkdir(parents=True)
    module.write_text("")
    monkeypatch.setattr(environment, "__file__", str(module))
    assert environment.commit() is None
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    clean = environment.commit()
    assert clean is not None and len(clean) == 12
    module.write_text("# changed")
    assert environment.commit() == clean + "+"
