"""Constructor arguments are known by their names."""

import pytest

from regard.checker.reading.arguments import ALIASES, Unbuildable, fill, mean, number


def parameter(name: str, *, required: bool = True) -> dict:
    return {"name": name, "required": required, "star": False, "default": None}


@pytest.mark.parametrize(
    ("name", "meaning"),
    [("n_embd", "width"), ("nHead", "heads"), ("num_heads", "heads"), ("blockSize", "length"), ("foo", None)],
)
def test_names_have_meanings(name: str, meaning: str | None) -> None:
    assert mean(name, ["width", "heads", "length"]) == meaning


def test_what_is_known_is_filled_in_and_optional_strangers_are_left() -> None:
    built = fill(
        [parameter("d_model"), parameter("h"), parameter("verbose", required=False)],
        {"width": 24, "heads": 3},
        {},
    )
    assert built.named == {"d_model": 24, "h": 3}
    assert built.meant == {"width": "d_model", "heads": "h"}


def test_a_configuration_answers_to_every_usual_name() -> None:
    built = fill([parameter("config")], {"width": 24, "heads": 3}, {})
    assert built.named["config"]["config"]["n_embd"] == 24
    assert built.named["config"]["config"]["n_head"] == 3


def test_a_required_stranger_is_named() -> None:
    with pytest.raises(Unbuildable, match="flavour"):
        fill([parameter("dim"), parameter("flavour")], {"width": 24}, {})
    with pytest.raises(Unbuildable, match="taste"):
        fill([parameter("flavour"), parameter("taste")], {"width": 24}, {})
    assert fill([parameter("flavour")], {"width": 24}, {"flavour": "7"}).named == {"flavour": 7}


def test_a_stranger_is_taken_for_the_first_size_that_nobody_claimed() -> None:
    built = fill(
        [parameter("aa"), parameter("heads"), parameter("bb")], {"width": 24, "heads": 3, "length": 11}, {}
    )
    assert built.named == {"aa": 24, "heads": 3, "bb": 11}


def test_a_meaning_left_to_the_person_is_given_only_where_it_must_be() -> None:
    assert fill([parameter("bias", required=False)], {"bias": None}, {}).named == {}
    assert fill([parameter("bias")], {"bias": None}, {}).named == {"bias": True}


def test_a_number_is_read_as_what_it_looks_like() -> None:
    assert [number(word) for word in ("3", "0.5", "true", "None", "abc")] == [3, 0.5, True, None, "abc"]


def test_aliases_are_words() -> None:
    assert all(alias and alias == alias.lower() for names in ALIASES.values() for alias in names)


def test_a_use_counts_for_more_than_a_name_and_widths_of_heads_may_be_several() -> None:
    def needed(name: str) -> dict[str, object]:
        return {"name": name, "required": True, "star": False, "default": None}

    known = {"width": 24, "heads": 3, "length": 9, "head_width": 8}
    used = {"head_size": "width", "vis": "flag"}
    assert fill([needed("head_size"), needed("heads"), needed("vis")], known, {}, used=used).named == {
        "head_size": 24,
        "heads": 3,
        "vis": False,
    }
    concat = fill([needed("concat")], {"concat": True}, {}, used={"concat": "flag"})
    assert concat.named == {"concat": True}
    found = fill([needed(n) for n in ("T_max", "d_k", "d_v", "d_model")], known, {})
    assert (found.named, found.guessed) == ({"T_max": 9, "d_k": 8, "d_v": 8, "d_model": 24}, ())


def test_settings_whose_sizes_have_strange_names_settle_only_what_their_other_fields_mean() -> None:
    parameter = {"name": "werte", "required": True, "star": False, "default": None}
    known = {"width": 24, "heads": 3, "eps": 1e-5}
    built = fill([parameter], known, {}, {"werte": {"breite": 16, "innen": {"config": {"eps": 1e-5}}}})
    assert built.meant == {"eps": "werte"}
    plain = fill([parameter], known, {}, {"werte": {"n_embd": 24, "flash": False}})
    assert plain.meant == dict.fromkeys(known, "werte")
