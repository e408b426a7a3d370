"""Positions: relative by construction, each against a loop, drawn, and told where they do not fit."""

import os
import subprocess
import sys
from math import cos, inf, log, sin
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from regard.core.attend import attend
from regard.core.normalise import Mean
from regard.core.position import Alibi, LearnedRelative, Position, Relative, Rotary
from regard.core.similarity import Constant, Dot
from regard.core.support import Causal, check_offset
from regard.errors import RegardError

ALONE = {"PYTHONPATH": str(Path(__file__).parents[2] / "src"), "PYTHONIOENCODING": "utf-8"}


def random(*shape: int, seed: int = 0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


PAIRS = {"adjacent": lambda t, d: (2 * t, 2 * t + 1), "halves": lambda t, d: (t, t + d // 2)}


@pytest.mark.parametrize("pairing", PAIRS)
@given(half=st.integers(1, 4), positions=st.lists(st.integers(0, 5000), min_size=1, max_size=5))
def test_rotary_turns_each_pair_by_its_angle(pairing, half, positions):
    d = 2 * half
    x = random(1, 1, len(positions), d)
    turned = Rotary(base=500.0, pairing=pairing).rotate(x, torch.tensor(positions))
    expected = torch.empty_like(x)
    for row, place in enumerate(positions):
        for t in range(half):
            a, b = PAIRS[pairing](t, d)
            angle = place / 500.0 ** (2 * t / d)
            u, w = float(x[0, 0, row, a]), float(x[0, 0, row, b])
            expected[0, 0, row, a] = u * cos(angle) - w * sin(angle)
            expected[0, 0, row, b] = u * sin(angle) + w * cos(angle)
    torch.testing.assert_close(turned, expected, atol=1e-10, rtol=0)


@pytest.mark.parametrize("pairing", PAIRS)
def test_only_the_distance_matters_under_rotary(pairing):
    rotary, q, k = Rotary(pairing=pairing), random(1, 1, 1, 6), random(1, 1, 1, 6, seed=1)

    def score(i: int, j: int) -> float:
        return float((rotary.rotate(q, torch.tensor([i])) * rotary.rotate(k, torch.tensor([j]))).sum())

    assert abs(score(7, 3) - score(107, 103)) < 1e-10
    assert abs(score(7, 3) - score(3, 7)) > 1e-3


def test_places_may_be_given_row_by_row():
    q, k, v = random(2, 2, 3, 4), random(2, 1, 5, 4), random(2, 1, 5, 4, seed=1)
    positions = torch.tensor([[0, 1, 2, 3, 4], [9, 9, 30, 31, 50]])
    together = attend(q, k, v, position=Rotary(positions=positions)).output
    for row in range(2):
        turned = [Rotary().rotate(x[row : row + 1], positions[row, -x.shape[2] :]) for x in (q, k)]
        torch.testing.assert_close(
            together[row : row + 1], attend(*turned, v[row : row + 1]).output, atol=1e-10, rtol=0
        )
    first = attend(q, k, v, position=Rotary(positions=positions, offset=1)).output
    turned = [Rotary().rotate(q[1:], positions[1, 1:4]), Rotary().rotate(k[1:], positions[1])]
    torch.testing.assert_close(first[1:], attend(*turned, v[1:]).output, atol=1e-10, rtol=0)


def test_distant_places_keep_their_angle_in_half_precision():
    x = torch.ones(1, 1, 1, 2)
    at = torch.tensor([40_001])
    exact = Rotary().rotate(x.double(), at)
    assert float((Rotary().rotate(x.half(), at) - exact).abs().max()) < 5e-3


def test_the_slopes_of_alibi():
    assert Alibi.geometric(8).slopes == tuple(2.0**-t for t in range(1, 9))
    assert Alibi.geometric(6).slopes == (2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3)
    assert Alibi.geometric(1).slopes == (2**-8,)


@given(n=st.integers(1, 7), m=st.integers(1, 7), offset=st.integers(-2, 5), seed=st.integers(0, 99))
def test_biases_equal_their_sentence(n, m, offset, seed):
    i, j = (torch.arange(n) + offset).unsqueeze(1), torch.arange(m)
    p = random(2, 5, seed=seed)
    learned = LearnedRelative(2, 2)
    with torch.no_grad():
        learned.p.copy_(p)
    made = {
        "alibi": Alibi((0.5, 0.1)).bias(i, j, torch.float64),
        "relative": Relative(p).bias(i, j, torch.float64),
        "learned": learned.double().bias(i, j, torch.float64).detach(),
    }
    for h in range(2):
        for a in range(n):
            for b in range(m):
                far = a + offset - b
                assert float(made["alibi"][h, a, b]) == pytest.approx(-(0.5, 0.1)[h] * abs(far))
                assert float(made["relative"][h, a, b]) == (float(p[h, far + 2]) if abs(far) <= 2 else -inf)
                assert float(made["learned"][h, a, b]) == pytest.approx(
                    float(p[h, min(4, max(0, far + 2))]), abs=1e-6
                )


@pytest.mark.parametrize(
    "made", [Alibi((0.5, 0.1)), Relative(torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])), LearnedRelative(2, 1)]
)
def test_a_list_of_pairs_and_rows_of_their_own_agree_with_the_table(made):
    i, j = torch.arange(5).unsqueeze(1), torch.arange(5)
    heads = 1 if isinstance(made, Relative) else 2
    table = made.bias(i, j)
    assert table.shape == (heads, 5, 5)
    ends = torch.tensor([0, 3, 2]), torch.tensor([1, 1, 4])
    assert torch.equal(made.bias(*ends), table[:, ends[0], ends[1]])
    rows = made.bias(i + torch.tensor([0, 2]).view(2, 1, 1, 1), j)
    assert rows.shape == (2, heads, 5, 5)
    assert torch.equal(rows[0], table)
    assert torch.equal(rows[1], made.bias(i + 2, j))
    pairs = made.bias(torch.stack([ends[0], ends[0] + 2]).unsqueeze(1), ends[1])
    assert torch.equal(pairs[1], made.bias(ends[0] + 2, ends[1]))


def convolved(p: torch.Tensor) -> float:
    """How far attention with the sequence p and values 3 x is from the convolution with [2, 0, 1], inside."""
    x = torch.tensor([1.0, 4.0, 2.0, 7.0, 3.0, 5.0]).double()
    nothing = torch.zeros(1, 1, 6, 1).double()
    y = attend(nothing, nothing, 3 * x.view(1, 1, 6, 1), position=Relative(p)).output.flatten()
    kernel = torch.tensor([2.0, 0.0, 1.0]).double().view(1, 1, 3)
    return float((y[1:-1] - F.conv1d(x.view(1, 1, 6), kernel).flatten()).abs().max())


def test_the_sequence_of_toronto_makes_a_convolution():
    # Key i - 1 stands at distance 1 and counts 2/3, key i + 1 at distance -1 and counts 1/3; values are 3 x.
    p = torch.tensor([0.0, -inf, log(2)], dtype=torch.float64)
    assert convolved(p) < 1e-12
    assert convolved(p.flip(0)) > 1


def test_a_hidden_pair_is_outside_the_support_for_every_normaliser():
    v = torch.tensor([2.0, 4.0, 9.0]).view(1, 1, 3, 1)
    nothing = torch.zeros(1, 1, 3, 1)
    p = Relative(torch.tensor([0.0, 0.0, -inf]))
    made = attend(nothing, nothing, v, similarity=Constant(), normalise=Mean(), position=p)
    assert made.output.flatten().tolist() == [3.0, 6.5, 9.0]


def test_learned_scalars_learn_in_every_backend():
    q, k, v = random(1, 2, 5, 4), random(1, 2, 5, 4, seed=1), random(1, 2, 5, 4, seed=2)
    learned = LearnedRelative(2, 3).double()
    slopes = []
    for backend in ("reference", "sdpa"):
        output = attend(q, k, v, position=learned, support=Causal(), backend=backend).output
        slopes.append(torch.autograd.grad(output.square().sum(), learned.p)[0])
    torch.testing.assert_close(*slopes, atol=1e-10, rtol=0)
    assert slopes[0].abs().max() > 1e-3


def test_a_plain_position_does_nothing():
    q = random(1, 1, 2, 2)
    assert Position().turn(q, q) == (q, q)
    assert attend(q, q, q, position=Position(), similarity=Dot()).output.equal(attend(q, q, q).output)


@pytest.mark.slow
def test_the_file_draws_itself():
    command = [sys.executable, "-W", "error", "-m", "regard.core.position"]
    made = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", env=os.environ | ALONE, check=True
    )
    assert "Alibi((0.1,))\n████▓▓" in made.stdout


def message(position) -> str:
    q, k = torch.ones(2, 3, 4, 5), torch.ones(2, 3, 6, 5)
    with pytest.raises(RegardError) as error:
        attend(
            q,
            k,
            k,
            position=position() if callable(position) and not isinstance(position, Position) else position,
        )
    return str(error.value)


@pytest.mark.parametrize(
    ("position", "text"),
    [
        (Rotary(), "Rotary turns pairs of channels\n  got: width 5\n  fix: use an even width per head"),
        (
            Alibi((1.0, 2.0)),
            "Alibi was made for other heads\n  got: 2 slopes, 3 heads\n  fix: give one per head",
        ),
        (
            Relative(torch.zeros(2, 3)),
            "Relative was made for other heads\n  got: 2 sequences, 3 heads\n  fix: give one per head",
        ),
        (
            LearnedRelative(2, 3),
            "LearnedRelative was made for other heads\n  got: 2 sequences, 3 heads\n  fix: give one per head",
        ),
        (
            lambda: Relative(torch.zeros(4)),
            "Relative needs p for the distances -r to r, p_0 in the middle\n"
            "  got: p of shape (4,)\n  fix: pass 2 r + 1 scalars, or one such row per head",
        ),
        (
            Alibi((1.0, 2.0, 3.0), offset=torch.zeros(5, dtype=torch.long)),
            "offset needs one number, or one for each row of the batch\n"
            "  got: offsets (5,), 2 rows\n  fix: shape them (2,)",
        ),
    ],
)
def test_what_does_not_fit_is_told_in_three_lines(position, text):
    assert message(position) == text


def test_rotary_tells_of_names_and_places():
    q = torch.ones(2, 3, 4, 6)
    with pytest.raises(RegardError) as error:
        attend(q, q, q, position=Rotary(positions=torch.arange(5)))
    assert str(error.value) == (
        "Rotary needs one place per key\n"
        "  got: positions (5,) for 2 rows of 4 keys\n  fix: shape them (4,) or (2, 4)"
    )
    with pytest.raises(RegardError) as error:
        Rotary(pairing="half")
    assert str(error.value) == "no pairing of that name\n  got: 'half'\n  fix: did you mean 'halves'?"


@pytest.mark.parametrize("base", [0.0, -1.0, inf])
def test_rotary_turns_by_a_base_above_zero_and_finite(base):
    with pytest.raises(RegardError) as error:
        Rotary(base=base)
    assert (
        str(error.value) == f"Rotary: base is above 0, and finite\n  got: base={base}\n  fix: 10000 is usual"
    )


@pytest.mark.parametrize("slope", [inf, -inf])
def test_alibi_has_finite_slopes(slope):
    with pytest.raises(RegardError, match="Alibi needs finite slopes"):
        Alibi((0.5, slope))
    assert Alibi((-1.0,)).slopes == (-1.0,)


def test_an_offset_of_floats_is_told():
    q = torch.ones(2, 3, 4, 6)
    with pytest.raises(RegardError) as error:
        check_offset(torch.tensor([0.5, 1.0]), q)
    assert (
        str(error.value) == "offset is a whole number\n  got: torch.float32\n  fix: convert it with .long()"
    )
