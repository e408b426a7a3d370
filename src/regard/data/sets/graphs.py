"""Graph data sets for node classification: the karate club, and the papers of Cora."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy
import torch
from torch import Tensor

from regard.data.fetch.archive import read_members
from regard.data.fetch.catalogue import entry
from regard.data.fetch.download import fetch_file
from regard.data.fetch.web import Patience, Progress
from regard.errors import RegardError
from regard.shapes import Bool, Float, Int

FIELDS = (
    "Theory", "Reinforcement_Learning", "Genetic_Algorithms", "Neural_Networks", "Probabilistic_Methods",
    "Case_Based", "Rule_Learning",
)  # fmt: skip
"The classes of Cora, in Planetoid's order."
TESTED = (0, 1, 3, 8, 15, 16, 20, 25, 28, 30)
"The members of the karate club that Berkeley HW6 tests on."


@dataclass(frozen=True, kw_only=True, eq=False)
class Network:
    """A graph whose nodes belong to classes; every edge is listed both ways round, no loop is."""

    features: Float[Tensor, "n f"]
    "What describes each node."
    source: Int[Tensor, " e"]
    "Where each edge starts."
    target: Int[Tensor, " e"]
    "Where each edge ends."
    labels: Int[Tensor, " n"]
    "The class of each node."
    classes: tuple[str, ...]
    "What the classes are called."
    train: Bool[Tensor, " n"]
    "The nodes whose class may be learned from."
    validation: Bool[Tensor, " n"]
    "The nodes that choices may be made by."
    test: Bool[Tensor, " n"]
    "The nodes that are only looked at in the end."
    said: str
    "What it is and where it comes from."
    names: tuple[str, ...] = ()
    "What the nodes are called, where they have names."

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.labels)


def load_karate() -> Network:
    """Zachary's karate club: 34 members, who met whom outside, and which of two clubs each joined afterwards.

    A member is described by who he is alone (the identity matrix). Berkeley HW6 tests on ten members and
    trains on the others; there is nobody to validate on.
    """
    club = _networkx().karate_club_graph()
    pairs = numpy.array([(first, second) for first, second in club.edges])
    classes = ("Mr. Hi", "Officer")
    source, target = both_ways(pairs)
    test = torch.zeros(len(club), dtype=torch.bool)
    test[list(TESTED)] = True
    return Network(
        features=torch.eye(len(club)),
        source=source,
        target=target,
        labels=torch.tensor([classes.index(club.nodes[node]["club"]) for node in sorted(club)]),
        classes=classes,
        train=~test,
        validation=torch.zeros_like(test),
        test=test,
        said="Zachary's karate club (1977), from networkx; edges without their weights.",
    )


def load_cora(*, patience: Patience | None = None, progress: Progress | None = None) -> Network:
    """Cora in Planetoid's order and split: 2708 papers, the words they use, who cites whom, seven fields."""
    known = entry("cora")
    members = read_members(fetch_file(known, patience=patience, progress=progress), known.members)
    by_name = {name.rpartition("/")[2]: content for name, content in members.items()}
    return read_cora(by_name["cora.content"], by_name["cora.cites"], planetoid_order())


def planetoid_order() -> tuple[int, ...]:
    """The paper id of each node in Planetoid's order.

    >>> len(planetoid_order()), planetoid_order()[:2]
    (2708, (1110563, 446271))
    """
    lines = files("regard.data.sets").joinpath("cora_order.txt").read_text(encoding="utf-8").splitlines()
    return tuple(int(line) for line in lines if not line.startswith("#"))


def read_cora(content: bytes, cites: bytes, order: Sequence[int]) -> Network:
    """The network of Cora's two files, its nodes in the order of their paper ids.

    A line of `content` is the paper's id, a 0 or 1 for each word, and the field; a line of `cites` is the
    paper cited and the one that cites it. Citing oneself is left out, and citing one another counts once.
    """
    papers = dict(_paper(line) for line in content.splitlines())
    if sorted(papers) != sorted(order):
        raise _damaged(f"{len(papers)} papers that are not those of the order, which has {len(order)}")
    if len({len(words) for words, _ in papers.values()}) != 1:
        raise _damaged("papers with different numbers of words")
    place = {paper: node for node, paper in enumerate(order)}
    source, target = both_ways(numpy.array([_citation(line, place) for line in cites.splitlines()]))
    number = torch.arange(len(order))
    return Network(
        features=torch.from_numpy(numpy.stack([papers[paper][0] for paper in order])).float(),
        source=source,
        target=target,
        labels=torch.tensor([papers[paper][1] for paper in order]),
        classes=FIELDS,
        train=number < 140,
        validation=(number >= 140) & (number < 640),
        test=number >= len(order) - 1000,
        said=f"Cora: {entry('cora').what}, in Planetoid's order and split.",
    )


def _paper(line: bytes) -> tuple[int, tuple[numpy.ndarray, int]]:
    number, _, rest = line.partition(b"\t")
    words, _, field = rest.rpartition(b"\t")
    # Words are single digits with a tab between: read by place, a thousand times faster than one by one.
    signs = numpy.frombuffer(words, numpy.uint8)
    known, tabs = signs[::2] - ord("0"), signs[1::2]
    name = field.strip().decode("latin-1")
    right = len(signs) % 2 == 1 and bool((known <= 1).all() and (tabs == ord("\t")).all())
    if not right or not number.isdigit() or len(number) > 12 or name not in FIELDS:
        raise _damaged(f"a paper that reads {line[:40]!r}")
    return int(number), (known, FIELDS.index(name))


def _citation(line: bytes, place: dict[int, int]) -> tuple[int, int]:
    ends = line.split()
    if len(ends) != 2 or not all(end.isdigit() and len(end) <= 12 and int(end) in place for end in ends):
        raise _damaged(f"a citation that reads {line[:40]!r}")
    return place[int(ends[0])], place[int(ends[1])]


def both_ways(pairs: numpy.ndarray) -> tuple[Int[Tensor, " e"], Int[Tensor, " e"]]:
    """Each pair of different nodes once in each direction, sorted."""
    pairs = pairs.reshape(-1, 2)
    joined = numpy.concatenate([pairs, pairs[:, ::-1]])
    once = numpy.unique(joined[joined[:, 0] != joined[:, 1]], axis=0)
    source, target = torch.from_numpy(once.astype(numpy.int64)).unbind(1)
    return source.contiguous(), target.contiguous()


def _damaged(got: str) -> RegardError:
    return RegardError("these are not the files of Cora", got, "load_cora() brings the right ones")


def _networkx():
    try:
        import networkx
    except ImportError as error:
        raise RegardError(
            "the karate club needs a package", "no module 'networkx'", "pip install networkx"
        ) from error
    return networkx
