"""Attention in the terminal: a table of heads, maps where there are few."""

import torch

from regard.lab.look.attention import Attention
from regard.lab.look.maps import AttentionLayer
from regard.lab.look.terminal import MAPS, habit, text


def test_the_table_says_what_heads_look_at_and_few_maps_are_drawn() -> None:
    before = torch.eye(5).roll(-1, 1)
    before[0] = torch.tensor([1.0, 0, 0, 0, 0])
    weights = torch.stack([torch.eye(5), before])[None]
    one = Attention((AttentionLayer("block", weights, "softmax"),), tuple("to be"), ("a note",))
    lines = text(one).splitlines()
    assert lines[:3] == ["a note", "   head     0     1", "layer 0  s100  p100  block"]
    assert "weights: softmax, what was multiplied with the values" in lines
    assert (
        "maps: each row looks at the columns; from none to most of the weight: .. :: -- == ++ ** ## %% @@"
        in lines
    )
    ours = Attention((AttentionLayer("block", weights, "reference"),), ())
    assert "weights: reference, one of the ways in which attend computes" in text(ours)
    assert max(map(len, lines)) <= 120
    at = lines.index("layer 0 head 1  block")
    assert lines[at + 1 : at + 4] == ["t |@@        |", "o |@@        |", "␣ |  @@      |"]
    assert str(one) == text(one)


def test_rows_of_a_long_text_are_called_after_the_first_of_their_places() -> None:
    weights = torch.eye(40)[None, None]
    lines = text(Attention((AttentionLayer("b", weights, "softmax"),), tuple("ab" * 19 + "yz"))).splitlines()
    rows = [line for line in lines if line.endswith("|")]
    assert len(rows) == 20 and rows[0].startswith("a |@@") and rows[-1].startswith("y |")
    assert lines[-1].strip() == "@@ is 1, a row is 2 places, called after the first"


def test_many_maps_are_counted_and_the_way_to_one_is_told() -> None:
    layers = tuple(AttentionLayer(f"b{i}", torch.ones(1, 12, 6, 6) / 6, "softmax") for i in range(12))
    lines = text(Attention(layers, ())).splitlines()
    assert lines[-1].startswith("144 maps; --layer and --head") and len(lines) == 17
    assert max(map(len, lines[:13])) <= 90 and MAPS < 144
    assert "layer 3 head 5  b3" in text(Attention(layers, ()).choose(layer=3, head=5))


def test_a_head_of_few_or_other_places_has_no_habit() -> None:
    assert habit(torch.ones(2, 2)) == habit(torch.ones(4, 5)) == "."
    first = torch.zeros(6, 6)
    first[:, 0] = 1.0
    assert habit(first) == "f100" and habit(torch.eye(6).roll(1, 1)) == "n100"


def test_layers_of_one_and_of_two_heads_have_their_own_maps() -> None:
    layers = tuple(AttentionLayer(f"b{n}", torch.ones(1, n, 3, 3) / 3, "softmax") for n in (1, 2))
    told = [
        line
        for line in text(Attention(layers, ())).splitlines()
        if line.startswith("layer") and " head " in line
    ]
    assert told == ["layer 0 head 0  b1", "layer 1 head 0  b2", "layer 1 head 1  b2"]


def test_maps_that_would_push_the_table_out_of_sight_are_counted() -> None:
    layers = (AttentionLayer("b", torch.ones(1, 8, 30, 30) / 30, "softmax"),)
    lines = text(Attention(layers, ())).splitlines()
    assert sum(line.startswith("layer 0 head") for line in lines) == 2
    assert lines[-1].startswith("6 more maps; --layer and --head")
    alone = text(Attention(layers, ()).choose(head=7))
    assert "layer 0 head 7  b" in alone and "more maps" not in alone


def test_maps_over_patches_say_once_whose_attention_they_are() -> None:
    for keys, whose in ((16, "what all patches, on average, take"), (17, "what the first token, the class")):
        layers = (AttentionLayer("b", torch.ones(1, 2, keys, keys) / keys, "softmax"),)
        lines = [one for one in text(Attention(layers, (), grid=(4, 4))).splitlines() if whose in one]
        assert len(lines) == 1 and lines[0].endswith("from each of 4 by 4 patches")


def test_weights_that_are_no_numbers_are_drawn_as_such() -> None:
    weights = torch.eye(5)[None, None].clone()
    weights[0, 0, 1] = float("nan")
    lines = text(Attention((AttentionLayer("b", weights, "softmax"),), ())).splitlines()
    assert lines[1].split() == ["layer", "0", "nan", "b"]
    assert "1 |??????????|" in lines and "2 |    @@    |" in lines
    assert lines[-1].strip() == "@@ is 1, ?? is not a number"
