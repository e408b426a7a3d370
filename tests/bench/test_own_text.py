"""The comparison of `regard train` with the lab's recipe: its sides judge the same text."""

from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest
import torch

BENCH = Path(__file__).parents[2] / "bench"


def script(name: str) -> SimpleNamespace:
    """What a file of bench/ defines."""
    return SimpleNamespace(**run_path(str(BENCH / f"{name}.py")))


def test_the_command_is_judged_in_its_own_windows_and_in_the_recipes(tmp_path: Path) -> None:
    from regard.data.tokens.tokenizer import Character
    from regard.data.tokens.windows import Windows, cut

    characters = "".join(f"{number} sheep and {number * number} goats\n" for number in range(2000))
    ids = Character(characters).encode(characters)
    data = Windows(cut(ids, {"train": 0.9, "validation": 0.1}), 16)
    text = tmp_path / "mine.txt"
    text.write_text(characters, "utf-8")
    found = script("own_text").command(text, 3, data, minutes=0.05)
    assert 0 < found["own"] < found["short"] < torch.log(torch.tensor(len(set(characters)))).item()
    assert found["seconds"] > 3


def test_the_bar_is_missed_where_the_command_learns_less(monkeypatch: pytest.MonkeyPatch) -> None:
    from regard.lab.bench import measure

    bench = script("own_text")
    losses = {"command": 1.6}
    scope = bench.run.__globals__
    monkeypatch.setitem(scope, "command", lambda *_: {"own": losses["command"], "short": 1.7, "seconds": 1.0})
    fake = script("shakespeare_training")
    fake.windows, fake.train = lambda: None, lambda *_: fake.Outcome(1.55, 1.0, 1)
    monkeypatch.setitem(scope, "run_path", lambda _: vars(fake))
    monkeypatch.setattr(
        "regard.data.sets.text.load_text", lambda _: SimpleNamespace(characters="to be or not to be")
    )
    first = measure(bench.COMPARISON)[0]
    losses["command"] = 1.5
    assert (first.state, measure(bench.COMPARISON)[0].state) == ("failed", "held")
