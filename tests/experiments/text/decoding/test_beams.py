import pytest
import torch

from regard.experiments.text.decoding.beams import (
    AFTER,
    berkeley_tree,
    counted_beam_search,
    every_text,
    formula,
    small_model,
    worst_rank,
)


def test_berkeley_s_pairs_are_probabilities_up_to_their_rounding() -> None:
    for pair in AFTER.values():
        assert torch.tensor(pair).exp().sum() == pytest.approx(1, abs=0.005)
    logits = berkeley_tree(torch.tensor([[0, 0, 1]]))
    assert logits[0].tolist() == [list(AFTER[one]) for one in ((), (0,), (0, 1))]


def test_every_text_is_there_with_the_sums_of_a_loop() -> None:
    model, start = small_model(3), torch.tensor([[0]])
    texts, totals = every_text(model, start, 2)
    assert texts.tolist() == [[a, b] for a in range(5) for b in range(5)]
    with torch.no_grad():
        for text, total in zip(texts.tolist(), totals.tolist(), strict=True):
            first = model(start).log_softmax(-1)[0, -1, text[0]]
            second = model(torch.tensor([[0, text[0]]])).log_softmax(-1)[0, -1, text[1]]
            assert total == pytest.approx([float(first), float(first + second)], abs=1e-12)
    assert totals[:, -1].exp().sum() == pytest.approx(1)


def test_the_worst_rank_of_a_known_tree() -> None:
    """The best text begins with the word that ranks second."""
    texts = torch.tensor([[a, b] for a in range(5) for b in range(5)])
    first = torch.tensor([-1.0, -2.0, -3.0, -3.0, -3.0]).repeat_interleave(5)
    second = first - 5
    second[7] = first[7] - 0.1
    assert worst_rank(texts, torch.stack([first, second], 1)) == 2


def test_berkeley_s_algorithm_finds_the_best_and_counts() -> None:
    logs = torch.tensor([[-3.0, -1.0, -2.0], [-1.0, -5.0, -2.0]])
    best, count = counted_beam_search(logs, width=2, steps=2)
    assert best == -2.0
    # Three words sorted after one beam and then after two; two and four candidates sorted.
    assert 2 + 1 + 2 * 2 + 3 <= count <= 3 + 1 + 2 * 3 + 6


def test_the_formula_by_hand() -> None:
    # The first step sorts 8 words; each of the two others 2 beams of 8, then the 4 candidates.
    assert formula(width=2, steps=3, size=8) == 8 * 3 + 2 * (2 * 8 * 3 + 4 * 2)
