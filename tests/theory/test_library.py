import pytest

from regard.errors import RegardError
from regard.theory import library


def test_every_file_is_a_theorem_of_its_name() -> None:
    assert [one.name for one in library.everything()] == library.names() and len(library.names()) >= 16
    assert all(library.path(name).is_file() for name in library.names())


def test_the_items_of_the_theory_are_owned_or_spoken_of() -> None:
    owned = {item for one in library.everything() for item in one.items}
    spoken = {item for one in library.everything() for item in one.speaks_of}
    assert owned == {1, 2, 3, 4, 5, 77, 78, 79, 85}
    derived = {12, *range(23, 32), 37, 38, 41, 55, 63, 65, 66, *range(68, 77), *range(80, 85)}
    assert derived <= spoken


def test_dashes_and_underscores_are_one_and_an_unknown_name_gets_the_nearest() -> None:
    assert library.find("input_noise") is library.find("input-noise")
    with pytest.raises(RegardError) as caught:
        library.find("input-nois")
    assert (
        str(caught.value)
        == "no theorem of that name\n  got: 'input-nois'\n  fix: did you mean 'input-noise'?"
    )
