"""Albums: every file is known by its hash, pictures fit their masks, and a damaged file is told."""

import hashlib
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
import torch

from regard.data.sets import album
from regard.data.sets.album import ALBUMS, decode, find_album, load_album, relabel
from regard.errors import RegardError, Unreachable


def encoded(values: numpy.ndarray, form: str) -> bytes:
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(values).save(content, form)
    return content.getvalue()


def told(call) -> str:
    with pytest.raises(RegardError) as raised:
        call()
    return str(raised.value)


@pytest.mark.parametrize(
    ("known", "pairs"), list(zip(ALBUMS, (30, 370), strict=True)), ids=lambda one: getattr(one, "name", "")
)
def test_each_picture_has_its_mask_and_each_file_its_hash(known: album.Album, pairs: int) -> None:
    files = known.files()
    assert len(known.pairs()) == pairs and len(files) == 2 * pairs
    for picture, mask in known.pairs():
        assert Path(picture.path).stem == Path(mask.path).stem and picture in files and mask in files
        assert known.images in picture.path and known.masks in mask.path
    for file in files:
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256) and file.size > 0
        assert file.path.startswith(f"{known.folder}/") and ".." not in file.path
    assert re.search(r"^https://[^/]+/[^/]+/[^/]+/[0-9a-f]{40}", known.address)
    assert sorted(known.labels.values()) == list(range(len(known.classes)))


def test_membranes_come_in_the_order_of_their_slices() -> None:
    names = [Path(picture.path).name for picture, _ in find_album("membranes").pairs()]
    assert names == [f"{i}.png" for i in range(30)]


def test_a_file_is_asked_for_at_its_address_and_checked(
    server, alone: Path, haste, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = numpy.array([[0, 255]] * 4, "u1").repeat(2, 1)
    body = encoded(values, "PNG")
    digest = hashlib.sha256(body).hexdigest()
    listed = alone.parent / "tiny.sha256"
    listed.write_text(f"{digest} {len(body)} tiny/image/a.png\n{digest} {len(body)} tiny/label/a.png\n")
    tiny = replace(find_album("membranes"), name="tiny", folder="tiny", address=f"http://{server.host}/there")
    monkeypatch.setattr(album, "files", lambda package: alone.parent)
    monkeypatch.setattr(album, "ALBUMS", (tiny,))
    for part in ("image", "label"):
        server.plan(f"/there/{part}/a.png", server.send(body))
    loaded = load_album("tiny", factor=2, test=1.0, patience=haste)
    assert [path for path, _ in server.asked] == ["/there/image/a.png", "/there/label/a.png"]
    assert loaded.masks.tolist() == [[[1, 0], [1, 0]]] and loaded.images.shape == (1, 1, 2, 2)
    assert (alone / "tiny/label/a.png").read_bytes() == body


def test_pictures_are_grey_or_coloured_by_their_file() -> None:
    grey = numpy.arange(12, dtype="u1").reshape(3, 4)
    for form in ("PNG", "TIFF"):
        assert torch.equal(decode(encoded(grey, form), "a")[0], torch.from_numpy(grey).float())
    colour = numpy.arange(36, dtype="u1").reshape(3, 4, 3)
    assert torch.equal(decode(encoded(colour, "PNG"), "a"), torch.from_numpy(colour).movedim(2, 0).float())
    assert decode(encoded(colour, "JPEG"), "a").shape == (3, 3, 4)


@pytest.mark.parametrize("cut", [0, 5, 40])
def test_a_corrupt_picture_is_told_in_three_lines(cut: int) -> None:
    content = encoded(numpy.zeros((64, 64), "u1"), "PNG")[:cut]
    what, got, fix = told(lambda: decode(content, "cat.png")).split("\n")
    assert what == "cat.png is no picture that can be read"
    assert re.match(r"  got: \w+: ", got) and fix == "  fix: remove it and fetch it again"


def test_a_value_without_a_class_is_told_in_three_lines() -> None:
    mask = torch.tensor([[[0.0, 7.0, 255.0]]])
    assert told(lambda: relabel(mask, {255: 0, 0: 1}, "label/3.png")) == (
        "the mask label/3.png has values without a class\n  got: value 7, and known are [0, 255]\n"
        "  fix: remove it and fetch it again"
    )


def test_an_unknown_album_gets_the_nearest() -> None:
    assert (
        told(lambda: find_album("pet")) == "no album of that name\n  got: 'pet'\n  fix: did you mean 'pets'?"
    )
    assert told(lambda: find_album("x")).endswith("fix: one of membranes, pets")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "shape"), [("membranes", (1, 128, 128)), ("pets", (3, 128, 128))])
def test_the_real_albums_can_be_read(name: str, shape: tuple[int, ...]) -> None:
    try:
        loaded = load_album(name, limit=4)
    except Unreachable as missing:
        pytest.skip(str(missing))
    assert loaded.images.shape == (4, *shape) and len(loaded.part("test")) == 1
    assert set(loaded.masks.unique().tolist()) == set(range(len(loaded.classes)))
    if name == "membranes":
        bright = [loaded.images[:, 0][loaded.masks == kind].mean() for kind in (0, 1)]
        assert bright[0] > bright[1], "membranes are dark"
