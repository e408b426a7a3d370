from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import pytest

from regard.errors import RegardError
from regard.lab import registry
from regard.lab.ranges import Device, Follows, Range
from regard.lab.settings import change, check, choose, devices, listing, moved


@dataclass(frozen=True, kw_only=True)
class Model:
    depth: int = 2
    "Blocks, one above the other."
    norm: Literal["layer", "rms"] = "layer"
    "Which norm."

    def __post_init__(self) -> None:
        if self.depth == 13:
            raise ValueError("depth must be lucky")


@dataclass(frozen=True, kw_only=True)
class Settings:
    rate: float = 0.1
    sizes: tuple[int, ...] = (1, 2)
    exact: bool = False
    text: Path | None = None
    title: str = "a"
    model: Model = field(default_factory=Model)
    share: Annotated[float, Range(0, below=1)] = 0.5
    pair: tuple[float, float] = (0.5, 0.5)
    fixed: Annotated[Model, Follows(norm="the text")] = field(default_factory=Model)
    device: Annotated[str, Device()] = "cpu"
    strange: list[str] = field(default_factory=list)


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
        ("minutes=0.7", "how long it may take is no setting\n  got: --set minutes=0.7\n  fix: --minutes 0.7, without --set"),
        ("rat=1", "no setting of that name\n  got: 'rat'\n  fix: did you mean 'rate'?"),
        ("model.dept=1", "no setting of that name\n  got: 'model.dept'\n  fix: did you mean 'model.depth'?"),
        ("zzz=1", "no setting of that name\n  got: 'zzz'\n  fix: the settings are rate, sizes, exact, text, title, model (depth, norm), share, pair, fixed (depth), device, strange; write model.depth"),
        ("rate", "a setting needs a name and a value\n  got: 'rate'\n  fix: write it as name=value, such as depth=4"),
        ("rate=fast", "the setting 'rate' is of another type\n  got: 'fast'\n  fix: give a number"),
        ("model.depth=2.5", "the setting 'model.depth' is of another type\n  got: '2.5'\n  fix: give a whole number"),
        ("model.lr=1", "no setting of that name\n  got: 'model.lr'\n  fix: the settings are depth, norm"),
        ("depth=1", "no setting of that name\n  got: 'depth'\n  fix: did you mean 'model.depth'?"),
        ("model.norm=batch", "the setting 'model.norm' does not take this value\n  got: 'batch'\n  fix: give one of layer, rms"),
        ("exact=maybe", "the setting 'exact' is of another type\n  got: 'maybe'\n  fix: give true or false"),
        ("sizes=1,x", "the setting 'sizes' is of another type\n  got: '1,x'\n  fix: give several values parted by commas, each a whole number"),
        ("model=3", "this setting is a group\n  got: 'model'\n  fix: set one of model.depth, model.norm"),
        ("rate.x=3", "this setting has no parts\n  got: 'rate.x'\n  fix: set rate itself"),
        ("model.depth=13", "the setting 'model.depth' does not fit\n  got: depth must be lucky\n  fix: choose a value that it allows"),
        ("model.depth=0", "the setting 'model.depth' is out of range\n  got: 0\n  fix: give a whole number from 1 to 1,000,000,000,000"),
        ("model.depth=-1", "the setting 'model.depth' is out of range\n  got: -1\n  fix: give a whole number from 1 to 1,000,000,000,000"),
        ("model.depth=1" + 30 * "0", f"the setting 'model.depth' is out of range\n  got: 1{30 * '0'}\n  fix: give a whole number from 1 to 1,000,000,000,000"),
        ("rate=nan", "the setting 'rate' is out of range\n  got: nan\n  fix: give a number from 0 to 1,000,000,000,000"),
        ("rate=-inf", "the setting 'rate' is out of range\n  got: -inf\n  fix: give a number from 0 to 1,000,000,000,000"),
        ("rate=1e400", "the setting 'rate' is out of range\n  got: inf\n  fix: give a number from 0 to 1,000,000,000,000"),
        ("share=1", "the setting 'share' is out of range\n  got: 1.0\n  fix: give a number at least 0 and below 1"),
        ("sizes=", "the setting 'sizes' is empty\n  got: ''\n  fix: give several values parted by commas, each a whole number"),
        ("sizes=4,0", "the setting 'sizes' is out of range\n  got: 0\n  fix: give a whole number from 1 to 1,000,000,000,000"),
        ("title=", "the setting 'title' is empty\n  got: ''\n  fix: give a text"),
        ("pair=1", "the setting 'pair' is of another type\n  got: '1'\n  fix: give 2 values parted by commas, each a number"),
        ("fixed.norm=rms", "this setting has no effect\n  got: 'fixed.norm'\n  fix: leave it out: it follows from the text"),
        ("device=nope", "no device of that name\n  got: 'nope'\n  fix: one of cpu, cuda, cuda:1, mps"),
        ("strange=a", "this setting cannot be given on the command line\n  got: list[str]\n  fix: change it in its preset"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_three_lines(words: str, message: str) -> None:
    with pytest.raises(RegardError) as caught:
        change(Settings(), [words])
    assert str(caught.value) == message


def test_a_device_where_none_is_offered_is_told_as_such() -> None:
    with pytest.raises(RegardError) as caught:
        change(Model(), ["device=cuda"])
    assert str(caught.value) == (
        "this experiment computes on the CPU alone\n  got: 'device'\n  fix: leave the device out"
    )


def test_the_listing_carries_the_sentence_under_each_field() -> None:
    rows = {name: (value, sentence) for name, value, sentence in listing(Settings())}
    assert rows["model.depth"] == (2, "Blocks, one above the other.") and rows["rate"] == (0.1, "")


def test_a_setting_set_twice_is_told() -> None:
    with pytest.raises(RegardError, match="a setting is set twice\n  got: 'rate'"):
        change(Settings(), ["rate=1", "rate=2"])


def test_what_follows_from_something_else_is_not_listed() -> None:
    names = [name for name, _, _ in listing(Settings())]
    assert "fixed.depth" in names and "fixed.norm" not in names


def test_settings_made_in_python_are_held_to_what_they_declare() -> None:
    check(Settings())
    with pytest.raises(RegardError, match="the setting 'share' is out of range"):
        check(Settings(share=2.0))


def test_an_unknown_preset_gets_the_nearest() -> None:
    assert choose({"quick": 1}, "quick") == 1
    with pytest.raises(RegardError) as caught:
        choose({"quick": 1, "full": 2}, "ful")
    assert str(caught.value) == "no preset of that name\n  got: 'ful'\n  fix: did you mean 'full'?"


def test_sentences_of_the_class_that_is_extended_are_told() -> None:
    from regard.experiments.images.own import OwnPictures

    assert [sentence[:8] for _, _, sentence in listing(OwnPictures())] == ["A folder"]


def test_changes_that_fit_only_together_are_made_together():
    @dataclass(frozen=True)
    class Sized:
        heads: int = 3
        width: int = 96

        def __post_init__(self) -> None:
            if self.width % self.heads:
                raise ValueError(f"{self.width} / {self.heads}")

    @dataclass(frozen=True)
    class Whole:
        model: Sized = field(default_factory=Sized)

    for order in (["model.width=32", "model.heads=2"], ["model.heads=2", "model.width=32"]):
        assert change(Whole(), order).model == Sized(heads=2, width=32)
    with pytest.raises(RegardError) as caught:
        change(Whole(), ["model.width=32", "model.heads=5"])
    assert "the settings 'model.width', 'model.heads' do not fit" in str(caught.value)


@dataclass(frozen=True, kw_only=True)
class Outer:
    inner: Settings = field(default_factory=Settings)
    device: str = "a word without meaning"


def test_the_settings_that_say_where_are_those_that_declare_a_device() -> None:
    assert (
        devices(Settings()) == ["device"] and devices(Outer()) == ["inner.device"] and devices(Model()) == []
    )


def test_what_declares_no_range_is_capped_in_the_experiments_of_the_package_alone() -> None:
    assert change(Settings(), ["model.depth=100000"]).model.depth == 100_000
    known = registry.find("scaled-dot-product")[0].presets["quick"]
    name, value, _ = next(one for one in listing(known) if type(one[1]) is int)
    with pytest.raises(RegardError, match="is out of range"):
        change(known, [f"{name}={10**6 * value}"])


def test_a_run_made_elsewhere_keeps_every_word_but_its_device():
    assert moved(("seeds=2", "device=cuda"), ["device=cpu"], ["device"], "as it was") == [
        "seeds=2",
        "device=cpu",
    ]
    assert moved(("seeds=2",), [], [], "as it was") == ["seeds=2"]
    with pytest.raises(RegardError, match=r"--set seeds=3(.|\n)*set device"):
        moved(("seeds=2",), ["seeds=3"], ["device"], "as it was")
    with pytest.raises(RegardError, match="this one has no device"):
        moved((), ["device=cpu"], [], "as it was")


def test_an_abbreviation_means_the_words_that_it_is_made_of() -> None:
    @dataclass(frozen=True)
    class Plan:
        learning_rate: float = 0.1
        weight_decay: float = 0.0

    @dataclass(frozen=True)
    class Whole:
        limit: int = 3
        plan: Plan = field(default_factory=Plan)

    for word, meant in (
        ("plan.lr", "plan.learning_rate"),
        ("lr", "plan.learning_rate"),
        ("plan.wd", "plan.weight_decay"),
        ("learning_rate", "plan.learning_rate"),
    ):
        with pytest.raises(RegardError) as caught:
            change(Whole(), [f"{word}=1"])
        assert caught.value.fix == f"did you mean '{meant}'?"
