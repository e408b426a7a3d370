from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from regard.errors import RegardError
from regard.lab.settings import change, listing


@dataclass(frozen=True, kw_only=True)
class Model:
    depth: int = 2
    "Blocks, one above the other."
    norm: Literal["layer", "rms"] = "layer"
    "Which norm."

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise ValueError("depth must be positive")


@dataclass(frozen=True, kw_only=True)
class Settings:
    rate: float = 0.1
    sizes: tuple[int, ...] = (1, 2)
    exact: bool = False
    text: Path | None = None
    title: str = "a"
    model: Model = field(default_factory=Model)


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("rate=1e-3", "rate", 1e-3),
        ("rate=2", "rate", 2.0),
        ("sizes=4, 8,16", "sizes", (4, 8, 16)),
        ("exact=yes", "exact", True),
        ("text=a/b.txt", "text", Path("a/b.txt")),
        ("text=none", "text", None),
        ("title=x=y", "title", "x=y"),
    ],
)
def test_a_setting_is_read_by_its_type(words: str, name: str, value: object) -> None:
    found = getattr(change(Settings(), [words]), name)
    assert found == value and type(found) is type(value)


def test_a_dotted_name_reaches_inside_and_leaves_the_rest() -> None:
    found = change(Settings(), ["model.depth=4", "model.norm=rms", "rate=0.5"])
    assert found == Settings(rate=0.5, model=Model(depth=4, norm="rms"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("rat=1", "no setting of that name\n  got: 'rat'\n  fix: did you mean 'rate'?"),
        ("model.dept=1", "no setting of that name\n  got: 'model.dept'\n  fix: did you mean 'depth'?"),
        ("zzz=1", "no setting of that name\n  got: 'zzz'\n  fix: the settings are rate, sizes, exact, text, title, model"),
        ("rate", "a setting needs a name and a value\n  got: 'rate'\n  fix: write it as name=value, such as depth=4"),
        ("rate=fast", "the setting 'rate' is of another type\n  got: 'fast'\n  fix: give a number"),
        ("model.depth=2.5", "the setting 'model.depth' is of another type\n  got: '2.5'\n  fix: give a whole number"),
        ("model.norm=batch", "the setting 'model.norm' is of another type\n  got: 'batch'\n  fix: give one of layer, rms"),
        ("exact=maybe", "the setting 'exact' is of another type\n  got: 'maybe'\n  fix: give true or false"),
        ("sizes=1,x", "the setting 'sizes' is of another type\n  got: '1,x'\n  fix: give several values parted by commas, each a whole number"),
        ("model=3", "this setting is a group\n  got: 'model'\n  fix: set one of model.depth, model.norm"),
        ("rate.x=3", "this setting has no parts\n  got: 'rate.x'\n  fix: set rate itself"),
        ("model.depth=0", "the setting 'model.depth' does not fit\n  got: depth must be positive\n  fix: choose a value that it allows"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_three_lines(words: str, message: str) -> None:
    with pytest.raises(RegardError) as caught:
        change(Settings(), [words])
    assert str(caught.value) == message


def test_the_listing_carries_the_sentence_under_each_field() -> None:
    rows = {name: (value, sentence) for name, value, sentence in listing(Settings())}
    assert rows["model.depth"] == (2, "Blocks, one above the other.") and rows["rate"] == (0.1, "")
