"""Edge lists: what is kept, what is added, what is refused."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.core.attend import attend
from regard.core.edges import Edges, Side
from regard.errors import RegardError


def ints(*numbers: int) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.long)


@st.composite
def graphs(draw: st.DrawFn, related: bool = False) -> Edges:
    """Directed graphs with isolated nodes and loops, in any order; with parallel relations if asked."""
    n, m, kinds = draw(st.integers(1, 7)), draw(st.integers(1, 5)), 3 if related else 1
    pairs = draw(st.lists(st.integers(0, n * m * kinds - 1), unique=True, max_size=23))
    keys = torch.tensor(pairs, dtype=torch.long)
    source, target, relation = keys // kinds % m, keys // kinds // m, keys % kinds
    return Edges(source, target, sizes=(n, m), relation=relation if related else None)


def triples(edges: Edges) -> list[tuple[int, ...]]:
    columns = [edges.target, edges.source] + ([] if edges.relation is None else [edges.relation])
    return list(zip(*[x.tolist() for x in columns], strict=True))


def entries(side: Side) -> list[tuple[int, int]]:
    starts = side.start.tolist()
    return [
        (row, int(side.other[t])) for row in range(side.rows) for t in range(starts[row], starts[row + 1])
    ]


@pytest.mark.slow
@given(graphs(related=True))
def test_edges_keep_the_given_order_and_sort_a_copy_by_target_source_relation(edges: Edges) -> None:
    given_order = triples(edges)
    assert triples(edges.sorted) == sorted(given_order)
    assert [given_order[i] for i in edges.order.tolist()] == sorted(given_order)
    assert edges.sorted.sorted is edges.sorted


@given(graphs(related=True))
def test_both_sides_hold_the_same_edges(edges: Edges) -> None:
    by_target = [(i, j) for i, j, _ in triples(edges.sorted)]
    assert entries(edges.targets) == by_target and edges.targets.place is None
    place = edges.sources.place
    assert place is not None and sorted(place.tolist()) == list(range(edges.count))
    assert [(i, j) for j, i in entries(edges.sources)] == [by_target[p] for p in place.tolist()]


@given(graphs())
def test_counts_are_degrees(edges: Edges) -> None:
    pairs = triples(edges)
    assert edges.targets.count.tolist() == [sum(i == row for i, _ in pairs) for row in range(edges.sizes[0])]
    assert edges.sources.count.tolist() == [sum(j == row for _, j in pairs) for row in range(edges.sizes[1])]
    assert (edges.targets.others, edges.sources.others) == (edges.sizes[1], edges.sizes[0])


def test_a_list_already_sorted_is_its_own_sorted_list() -> None:
    edges = Edges(ints(1, 0), ints(0, 1), nodes=2)
    assert edges.sorted is edges


def test_loops_are_added_only_where_they_are_missing_and_at_the_end() -> None:
    edges = Edges(ints(2, 1, 0), ints(1, 1, 2), nodes=4).with_loops()
    assert triples(edges) == [(1, 2), (1, 1), (2, 0), (0, 0), (2, 2), (3, 3)]


def test_loops_take_the_relation_and_the_features_that_are_named() -> None:
    edges = Edges(ints(0, 1), ints(0, 1), nodes=2, relation=ints(0, 1), features=torch.tensor([[3.0], [5.0]]))
    looped = edges.with_loops(relation=1, features=torch.tensor([7.0]))
    assert triples(looped) == [(0, 0, 0), (1, 1, 1), (0, 0, 1)]
    assert looped.features is not None and looped.features.tolist() == [[3.0], [5.0], [7.0]]


def test_both_ways_adds_only_the_missing_reverses() -> None:
    edges = Edges(
        ints(0, 1, 2, 1), ints(1, 0, 1, 1), nodes=3, features=torch.tensor([[2.0], [3.0], [5.0], [7.0]])
    ).both_ways()
    assert triples(edges) == [(1, 0), (0, 1), (1, 2), (1, 1), (2, 1)]
    assert edges.features is not None and edges.features.flatten().tolist() == [2.0, 3.0, 5.0, 7.0, 5.0]


def test_a_reverse_of_another_relation_does_not_count() -> None:
    edges = Edges(ints(0, 1), ints(1, 0), nodes=2, relation=ints(0, 1)).both_ways()
    assert triples(edges) == [(1, 0, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1)]


@given(graphs())
def test_both_ways_twice_is_once(edges: Edges) -> None:
    if edges.sizes[0] == edges.sizes[1]:
        once = edges.both_ways()
        assert triples(once.both_ways()) == triples(once)
        assert {(j, i) for i, j in triples(once)} == set(triples(once))


def test_a_graph_without_edges_or_nodes_is_a_graph() -> None:
    assert repr(Edges(ints(), ints(), nodes=0)) == "Edges(0 edges, 0 targets, 0 sources)"
    assert (
        repr(Edges(ints(), ints(), nodes=2).with_loops().both_ways())
        == "Edges(2 edges, 2 targets, 2 sources)"
    )


def test_edges_move_whole() -> None:
    edges = Edges(ints(1, 0), ints(1, 0), nodes=2, relation=ints(0, 0), features=torch.ones(2, 1))
    assert edges.sorted.count == 2
    moved = edges.to("meta")
    assert edges.device.type == "cpu" and moved.device.type == "meta"
    parts = (moved.source, moved.target, moved.relation, moved.features, moved.order)
    sides = [x for side in (moved.targets, moved.sources) for x in (side.start, side.other, side.place)]
    assert {x.device.type for x in (*parts, *sides) if x is not None} == {"meta"}
    assert "sorted" not in vars(moved)


REFUSED = {
    "sizes": (
        lambda: Edges(ints(0), ints(0)),
        "Edges needs the number of nodes once",
        "nodes=None, sizes=None",
        "pass nodes=n, or sizes=(targets, sources) where queries and keys are different sets",
    ),
    "both sizes": (
        lambda: Edges(ints(0), ints(0), nodes=1, sizes=(1, 1)),
        "Edges needs the number of nodes once",
        "nodes=1, sizes=(1, 1)",
        "pass nodes=n, or sizes=(targets, sources) where queries and keys are different sets",
    ),
    "negative size": (
        lambda: Edges(ints(), ints(), sizes=(2, -1)),
        "the number of nodes is a whole number, at least 0",
        "2 and -1",
        "pass the size of each set of nodes",
    ),
    "dtype": (
        lambda: Edges(torch.ones(2), ints(0, 0), nodes=1),
        "source is one whole number per edge",
        "(2,) of torch.float32",
        "pass source as a tensor of integers with one axis",
    ),
    "axes": (
        lambda: Edges(ints(0), ints(0)[None], nodes=1),
        "target is one whole number per edge",
        "(1, 1) of torch.int64",
        "pass target as a tensor of integers with one axis",
    ),
    "unequal": (
        lambda: Edges(ints(0, 1), ints(0), nodes=2),
        "every edge needs one source and one target",
        "source 2, target 1",
        "give both the same length, one entry per edge",
    ),
    "unequal features": (
        lambda: Edges(ints(0), ints(0), nodes=2, features=torch.ones(3, 1)),
        "every edge needs one source and one features",
        "source 1, features 3",
        "give both the same length, one entry per edge",
    ),
    "features": (
        lambda: Edges(ints(0), ints(0), nodes=1, features=torch.ones(1)),
        "edge features are one row of real numbers per edge",
        "(1,) of torch.float32",
        "shape them (1, width) and convert with .float()",
    ),
    "devices": (
        lambda: Edges(ints(0), ints(0), nodes=1, features=torch.ones(1, 1, device="meta")),
        "the parts of an edge list lie on different devices",
        "source on cpu, features on meta",
        "move them to one device",
    ),
    "above": (
        lambda: Edges(ints(0, 1), ints(0, 2), nodes=2),
        "target must be at least 0 and below 2",
        "2 at edge 1",
        "number the nodes from 0, or pass a larger nodes= or sizes=",
    ),
    "below": (
        lambda: Edges(ints(0, -3), ints(0, 1), nodes=2),
        "source must be at least 0 and below 2",
        "-3 at edge 1",
        "number the nodes from 0, or pass a larger nodes= or sizes=",
    ),
    "relation": (
        lambda: Edges(ints(0), ints(0), nodes=1, relation=ints(-1)),
        "relation must be at least 0",
        "-1 at edge 0",
        "number the relations from 0",
    ),
    "twice": (
        lambda: Edges(ints(3, 1, 3), ints(2, 1, 2), nodes=5),
        "an edge is given twice",
        "3 -> 2, at 0 and 2",
        "say what becomes of it: Edges(..., duplicates='keep') or 'merge'",
    ),
    "twice by one relation": (
        lambda: Edges(ints(3, 3, 3), ints(2, 2, 2), nodes=5, relation=ints(0, 4, 4)),
        "an edge is given twice",
        "3 -> 2 of relation 4, at 1 and 2",
        "say what becomes of it: Edges(..., duplicates='keep') or 'merge'",
    ),
    "loops": (
        lambda: Edges(ints(), ints(), sizes=(2, 3)).with_loops(),
        "loops need one set of nodes",
        "sizes=(2, 3)",
        "add them yourself: which source meets which target is yours to say",
    ),
    "loops' relation": (
        lambda: Edges(ints(), ints(), nodes=2, relation=ints()).with_loops(features=torch.ones(1)),
        "the loops' relation and features must match the edges'",
        "edges with relation; loops with features",
        "pass with_loops(relation=..., features=...) exactly where the edges have them",
    ),
    "reverses": (
        lambda: Edges(ints(), ints(), sizes=(2, 3)).both_ways(),
        "reversing edges needs one set of nodes",
        "sizes=(2, 3)",
        "add them yourself: which source meets which target is yours to say",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_what_it_got_and_how_to_mend_it(name: str) -> None:
    make, what, got, fix = REFUSED[name]
    with pytest.raises(RegardError) as error:
        make()
    assert str(error.value) == f"{what}\n  got: {got}\n  fix: {fix}"


def test_small_integer_types_are_accepted() -> None:
    edges = Edges(ints(0, 1).int(), ints(1, 0).to(torch.uint8), nodes=2)
    assert edges.source.dtype == edges.target.dtype == torch.long


def test_two_edge_lists_combine_like_sets_of_pairs() -> None:
    first = Edges(torch.tensor([0, 1, 2]), torch.tensor([1, 2, 0]), nodes=3)
    second = Edges(torch.tensor([0, 2, 0]), torch.tensor([1, 0, 0]), nodes=3)
    both, either = (first & second).mask(3, 3), (first | second).mask(3, 3)
    assert both.nonzero().tolist() == [[0, 2], [1, 0]]
    assert either.nonzero().tolist() == [[0, 0], [0, 2], [1, 0], [2, 1]]


def test_edges_that_cannot_be_numbered_are_told() -> None:
    most = 2**40
    with pytest.raises(RegardError) as error:
        Edges(ints(0, 0), ints(0, 0), nodes=most, relation=ints(0, 1))
    assert str(error.value) == (
        "an edge list cannot hold so many nodes and relations\n"
        f"  got: sizes=({most}, {most}), 2 relations\n"
        "  fix: number the nodes and relations that there are, from 0"
    )


def test_keys_are_in_order_up_to_the_largest() -> None:
    small = Edges(ints(1, 0), ints(0, 1), nodes=2)
    small.sizes = (2**31, 2**31)
    assert small._keys(ints(2**31 - 1), ints(2**31 - 1)).tolist() == [2**62 - 1]


def test_the_first_number_that_no_key_holds_is_refused() -> None:
    small = Edges(ints(1, 0), ints(0, 1), nodes=2, relation=ints(0, 1))
    small.sizes = (2**31, 2**31)  # (2³¹)² · 2 = 2⁶³
    with pytest.raises(RegardError, match="cannot hold so many nodes and relations"):
        small._keys(small.source, small.target)


def test_nodes_beyond_memory_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*shape, **options):
        raise RuntimeError("you tried to allocate")

    monkeypatch.setattr(torch, "zeros", full)
    with pytest.raises(RegardError) as error:
        Edges(ints(0), ints(1), nodes=7)
    assert str(error.value) == (
        "there is no memory for so many nodes\n  got: 7 nodes\n  fix: pass the number of nodes there are"
    )


def test_edges_given_again_are_kept_or_merged_as_asked_and_the_edges_say_which() -> None:
    ends = {"source": ints(0, 1, 0, 0), "target": ints(1, 2, 1, 1), "nodes": 3}
    rows = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
    kept, merged = (Edges(**ends, features=rows, duplicates=what) for what in ("keep", "merge"))
    assert repr(kept) == "Edges(4 edges, 3 targets, 3 sources, 2 given again and kept)"
    assert repr(merged) == "Edges(2 edges, 3 targets, 3 sources, 2 given again and merged into the first)"
    assert merged.source.tolist() == [0, 1] and merged.features.flatten().tolist() == [1.0, 2.0]  # type: ignore[union-attr]
    assert kept.targets.count.tolist() == [0, 3, 1] and merged.targets.count.tolist() == [0, 1, 1]
    assert kept.both_ways().with_loops(features=torch.zeros(1, 1)).count == 11


def test_attend_says_what_became_of_edges_given_again_and_every_backend_counts_them_so() -> None:
    kept = Edges(ints(0, 1, 0), ints(1, 1, 1), nodes=2, duplicates="keep")
    q, k, v = torch.randn(3, 1, 2, 2, 4)
    found = {
        name: attend(q, k, v, support=kept, backend=name, weights=True) for name in ("reference", "edges")
    }
    scores = torch.stack([(q[0, :, 1] * k[0, :, j]).sum(-1) / 2 for j in (0, 1, 0)], -1)
    for one in found.values():
        assert one.weights is not None and torch.allclose(one.weights[0], scores.softmax(-1), atol=1e-6)
        assert one.reason.endswith("; edges: 1 given again and kept")
        right = torch.einsum("he,hec->hc", one.weights[0], v[0][:, [0, 1, 0]])
        assert torch.allclose(one.output[0, :, 1], right, atol=1e-6)
