import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

from regard.errors import RegardError
from regard.generation.sampling import GREEDY, Sampler, check_logits

rows = some.lists(some.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]), min_size=1, max_size=9).map(
    lambda one: torch.tensor([one], dtype=torch.float64)
)


def by_hand(logits: list[float], k: int | None, p: float | None, m: float | None) -> list[float]:
    """Top-k, top-p and min-p with loops over a list that is sorted by Python."""
    powers = [2.718281828459045**x for x in logits]
    shares = [x / sum(powers) for x in powers]
    order = sorted(range(len(shares)), key=lambda i: (-shares[i], i))[: k or len(shares)]
    if p is not None:
        total, kept = sum(shares[i] for i in order), []
        for i in order:
            kept.append(i)
            if sum(shares[j] for j in kept) >= p * total - 1e-12:
                break
        order = kept
    if m is not None:
        order = [i for i in order if shares[i] >= m * max(shares) - 1e-12]
    left = sum(shares[i] for i in order)
    return [shares[i] / left if i in order else 0.0 for i in range(len(shares))]


@given(
    rows,
    some.none() | some.integers(1, 5),
    some.none() | some.sampled_from([1e-6, 0.31, 0.77, 1.0]),
    some.none() | some.sampled_from([0.0, 0.29, 1.0]),
)
def test_the_distribution_is_that_of_a_loop(logits, k, p, m) -> None:
    found = Sampler(top_k=k, top_p=p, min_p=m).distribution(logits)[0].tolist()
    assert found == pytest.approx(by_hand(logits[0].tolist(), k, p, m), abs=1e-9)


@given(rows)
def test_top_k_of_one_and_a_tiny_top_p_are_greedy(logits) -> None:
    expected = GREEDY.distribution(logits)
    assert torch.equal(Sampler(top_k=1).distribution(logits), expected) and torch.equal(
        Sampler(top_p=1e-9).distribution(logits), expected
    )


@given(rows, some.sampled_from([0.25, 0.5, 2.0]))
def test_temperature_divides_the_logits(logits, temperature) -> None:
    assert torch.allclose(
        Sampler(temperature=temperature).distribution(logits), (logits / temperature).softmax(-1)
    )


@given(rows, some.sampled_from([1e-9, 0.1, 0.5, 0.9, 1.0]), some.randoms())
def test_top_p_keeps_the_smallest_set_that_reaches_p_in_any_order_of_the_vocabulary(
    logits, p, chance
) -> None:
    order = list(range(logits.shape[1]))
    chance.shuffle(order)
    plain, moved = (one.softmax(-1)[0] for one in (logits, logits[:, order]))
    kept, also = (Sampler(top_p=p).distribution(one)[0] > 0 for one in (logits, logits[:, order]))
    # Which of equals stays depends on the order, what stays does not.
    assert sorted(plain[kept].tolist()) == pytest.approx(sorted(moved[also].tolist()))
    assert plain[kept].sum() >= p - 1e-12
    assert plain[kept].sum() - plain[kept].min() < p + 1e-12
    assert plain[kept].min() >= plain[~kept].max() if (~kept).any() else True


def test_the_penalty_passes_over_what_is_no_token() -> None:
    logits = torch.tensor([[2.0, -1.0, 0.5]])
    assert torch.equal(
        Sampler(penalty=2.0).distribution(logits, torch.tensor([[-1, -1]])), Sampler().distribution(logits)
    )


def test_rows_with_generators_of_their_own_draw_on_their_own() -> None:
    logits = torch.randn(3, 50, generator=torch.Generator().manual_seed(0))

    def own(seed: int) -> torch.Generator:
        return torch.Generator().manual_seed(seed)

    together = Sampler().choose(logits, generator=[own(1), own(2), own(3)])
    assert together[2:].tolist() == Sampler().choose(logits[2:], generator=[own(3)]).tolist()


def test_draws_are_those_of_torch_multinomial() -> None:
    """So that seeds give what they gave when draws were made by it."""
    logits = torch.randn(40, 9, generator=torch.Generator().manual_seed(0))
    p = Sampler(temperature=0.7).distribution(logits)
    expected = torch.multinomial(p, 1, generator=torch.Generator().manual_seed(5))[:, 0]
    found = Sampler(temperature=0.7).choose(logits, generator=torch.Generator().manual_seed(5))
    assert torch.equal(found, expected)


def test_the_penalty_lowers_both_signs() -> None:
    logits, seen = torch.tensor([[2.0, -1.0, 0.5]]), torch.tensor([[0, 1, 1]])
    assert torch.allclose(
        Sampler(penalty=2.0).distribution(logits, seen), torch.tensor([[1.0, -2.0, 0.5]]).softmax(-1)
    )


def test_draws_follow_the_distribution() -> None:
    sampler, logits = (
        Sampler(top_k=4, temperature=0.7),
        torch.tensor([[0.3, 1.0, -0.5, 0.0, -3.0, 0.9]], dtype=torch.float64).repeat(20_000, 1),
    )
    drawn = sampler.choose(logits, generator=torch.Generator().manual_seed(1))
    p = sampler.distribution(logits[:1])[0]
    counts = torch.bincount(drawn, minlength=6)
    assert (counts[p == 0] == 0).all()
    assert stats.chisquare(counts[p > 0], (p[p > 0] * 20_000 / p.sum()).numpy()).pvalue > 1e-4
    worse = Sampler(top_k=4).distribution(logits[:1])[0]
    assert (
        stats.chisquare(
            counts[p > 0], (worse[p > 0] * 20_000 / worse.sum()).double().numpy(), sum_check=False
        ).pvalue
        < 1e-6
    )


def test_a_seed_gives_the_same_draws() -> None:
    logits = torch.randn(50, 7)
    first, again, other = (
        Sampler().choose(logits, generator=torch.Generator().manual_seed(seed)) for seed in (3, 3, 4)
    )
    assert torch.equal(first, again) and not torch.equal(first, other)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"temperature": -1.0}, "the sampler cannot choose like that\n  got: temperature=-1.0\n  fix: 0 takes the most probable token; from 1e-06 on, larger is more random"),
        ({"temperature": 1e-320}, "the sampler cannot choose like that\n  got: temperature=1e-320\n  fix: 0 takes the most probable token; from 1e-06 on, larger is more random"),
        ({"top_k": 0}, "the sampler cannot choose like that\n  got: top_k=0\n  fix: keep at least one token"),
        ({"top_p": 3.0}, "the sampler cannot choose like that\n  got: top_p=3.0\n  fix: a probability above 0, up to 1"),
        ({"min_p": -0.1}, "the sampler cannot choose like that\n  got: min_p=-0.1\n  fix: a share from 0 to 1"),
        ({"penalty": 0.0}, "the sampler cannot choose like that\n  got: penalty=0.0\n  fix: 1 changes nothing; above 1 discourages repeats"),
    ],
)  # fmt: skip
def test_nonsense_is_told_in_three_lines(words: dict[str, float], message: str) -> None:
    with pytest.raises(RegardError) as caught:
        Sampler(**words)
    assert str(caught.value) == message


def test_top_p_stops_where_its_share_is_reached() -> None:
    even = torch.zeros(1, 2, dtype=torch.float64)
    assert Sampler(top_p=0.5).distribution(even).tolist() == [[1.0, 0.0]]
    assert Sampler(top_p=0.5000001).distribution(even).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    "logits", [torch.zeros(3), torch.zeros(2, 0), torch.zeros(2, 3, dtype=torch.long), torch.zeros(1, 2, 3)]
)
def test_what_are_no_logits_is_told(logits) -> None:
    with pytest.raises(RegardError) as error:
        check_logits(logits)
    assert str(error.value) == (
        "the next token is chosen from logits (b k), one row of real numbers per text\n"
        f"  got: a tensor {tuple(logits.shape)} of {logits.dtype}\n  fix: give the model's output after the last token"
    )


def test_one_column_is_enough() -> None:
    assert Sampler().choose(torch.zeros(2, 1)).tolist() == [0, 0]


@pytest.mark.parametrize(
    "words", [{"temperature": float("inf")}, {"penalty": 0.0}, {"penalty": float("inf")}]
)
def test_what_has_no_end_is_no_sampler(words) -> None:
    with pytest.raises(RegardError, match="the sampler cannot choose like that"):
        Sampler(**words)


def test_min_p_keeps_what_is_as_probable_as_its_share() -> None:
    assert Sampler(min_p=1.0).distribution(torch.zeros(1, 2, dtype=torch.float64)).tolist() == [[0.5, 0.5]]


def test_the_most_probable_token_is_chosen_after_the_penalty() -> None:
    logits, seen = torch.tensor([[2.0, 1.5, 0.5]]), torch.tensor([[0]])
    assert GREEDY.choose(logits, seen).item() == 0
    assert Sampler(temperature=0.0, penalty=2.0).choose(logits, seen).item() == 1
