"""The karate club and Cora: the facts that are known of them, and what is said of files that are not Cora."""

import networkx
import numpy
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.data.fetch.catalogue import entry
from regard.data.fetch.download import find
from regard.data.sets.graphs import FIELDS, Network, load_cora, load_karate, planetoid_order, read_cora
from regard.errors import RegardError

CONTENT = b"31\t1\t0\t1\tTheory\n17\t0\t0\t1\tCase_Based\n23\t0\t1\t0\tRule_Learning\n"
CITES = b"31\t17\r\n17\t31\r\n23\t23\r\n31\t23\r\n"
ORDER = (17, 23, 31)


@pytest.fixture(scope="module")
def cora() -> Network:
    if find(entry("cora")) is None:
        pytest.skip("Cora is not on this machine")
    return load_cora()


def pairs(network: Network) -> set[tuple[int, int]]:
    return set(zip(network.source.tolist(), network.target.tolist(), strict=True))


def test_cora_has_the_known_numbers(cora: Network) -> None:
    assert cora.features.shape == (2708, 1433) and cora.features.sum() == 49216
    assert len(cora.source) == 2 * 5278 and cora.nodes == 2708
    assert [int(split.sum()) for split in (cora.train, cora.validation, cora.test)] == [140, 500, 1000]
    assert cora.labels.bincount().tolist() == [351, 217, 418, 818, 426, 298, 180]
    assert cora.labels[cora.train].bincount().tolist() == [20] * 7


def test_coras_splits_do_not_meet_and_its_edges_go_both_ways(cora: Network) -> None:
    assert not (
        (cora.train & cora.validation) | (cora.train & cora.test) | (cora.validation & cora.test)
    ).any()
    found = pairs(cora)
    assert len(found) == len(cora.source), "an edge is listed twice"
    assert found == {(second, first) for first, second in found} and all(a != b for a, b in found)


@pytest.mark.slow
def test_coras_order_keeps_papers_of_one_field_together(cora: Network) -> None:
    """A wrong order would join papers at random, 18 % of them in one field; citations stay inside for 81 %."""
    same = cora.labels[cora.source] == cora.labels[cora.target]
    assert same.float().mean().item() == pytest.approx(0.81, abs=0.005)
    apart = cora.features[cora.source] * cora.features[cora.target]
    chance = cora.features[cora.source] * cora.features[cora.target.flip(0)]
    assert apart.sum() > 2 * chance.sum()


def test_the_order_names_every_paper_once() -> None:
    assert len(set(planetoid_order())) == 2708


def test_the_karate_club_is_that_of_networkx() -> None:
    club, graph = load_karate(), networkx.karate_club_graph()
    assert club.nodes == 34 and len(club.source) == 2 * 78
    adjacency = torch.zeros(34, 34).index_put((club.source, club.target), torch.ones(156))
    assert numpy.array_equal(adjacency.numpy(), networkx.to_numpy_array(graph, weight=None))
    assert [club.classes[label] for label in club.labels] == [graph.nodes[node]["club"] for node in range(34)]
    assert int(club.test.sum()) == 10 and bool((club.train ^ club.test).all()) and not club.validation.any()
    assert torch.equal(club.features, torch.eye(34))


def test_three_papers_by_hand() -> None:
    """Paper 31 and 17 cite one another (one edge), 23 cites itself (none) and 31."""
    network = read_cora(CONTENT, CITES, ORDER)
    assert network.features.tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 1]]
    assert [FIELDS[label] for label in network.labels] == ["Case_Based", "Rule_Learning", "Theory"]
    assert pairs(network) == {(0, 2), (2, 0), (1, 2), (2, 1)}


@pytest.mark.parametrize(
    ("content", "cites", "got"),
    [
        (CONTENT.replace(b"Theory", b"Poetry"), CITES, r"a paper that reads b'31\t1\t0\t1\tPoetry'"),
        (CONTENT.replace(b"1\t0\t1", b"1\t2\t1"), CITES, r"a paper that reads b'31\t1\t2\t1\tTheory'"),
        (CONTENT.replace(b"1\t0\t1", b"1\t001"), CITES, r"a paper that reads b'31\t1\t001\tTheory'"),
        (CONTENT.replace(b"31\t1\t0\t1", b"31\t1\t0"), CITES, "papers with different numbers of words"),
        (CONTENT.replace(b"23\t", b"24\t"), CITES, "3 papers that are not those of the order, which has 3"),
        (CONTENT, CITES + b"31\t99\r\n", r"a citation that reads b'31\t99'"),
        (CONTENT, CITES + b"31\r\n", r"a citation that reads b'31'"),
    ],
)
def test_other_files_are_refused_in_three_lines(content: bytes, cites: bytes, got: str) -> None:
    with pytest.raises(RegardError) as error:
        read_cora(content, cites, ORDER)
    assert str(error.value) == (
        f"these are not the files of Cora\n  got: {got}\n  fix: load_cora() brings the right ones"
    )


@given(st.binary(max_size=40), st.integers(0, len(CONTENT)), st.integers(0, len(CITES)))
def test_damaged_files_are_read_or_refused(noise: bytes, first: int, second: int) -> None:
    content = CONTENT[:first] + noise + CONTENT[first + len(noise) :]
    cites = CITES[:second] + noise + CITES[second + len(noise) :]
    for words, citations in ((content, CITES), (CONTENT, cites)):
        try:
            network = read_cora(words, citations, ORDER)
        except RegardError:
            continue
        assert network.nodes == 3 and bool((network.source != network.target).all())


def test_without_networkx_a_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "networkx", None)
    with pytest.raises(RegardError) as error:
        load_karate()
    assert str(error.value) == (
        "the karate club needs a package\n  got: no module 'networkx'\n  fix: pip install networkx"
    )
