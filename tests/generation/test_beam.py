"""Beam search against exhaustive search, transformers, and its own sums."""

from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

from regard.errors import RegardError
from regard.generation import beam
from regard.generation.beam import Beam, beam_search
from regard.generation.engine import continuation
from regard.generation.reader import reader
from regard.generation.sampling import GREEDY
from regard.generation.stopping import Stop
from regard.models.gpt.cache import KVCache
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT


def made(**change) -> GPT:
    torch.manual_seed(0)
    config = {"vocabulary": 5, "context": 29, "depth": 2, "heads": 2, "width": 8, "init_std": 0.7}
    return GPT(GPTConfig(**(config | {"position": "rotary"} | change))).double().eval()


MODEL = made()
PROMPT = torch.tensor([[3, 1], [0, 4]])


def total(model, prompt: torch.Tensor, ids: tuple[int, ...]) -> float:
    """The log-probability of a continuation by one full pass."""
    text = torch.cat([prompt, torch.tensor(ids)])[None]
    with torch.no_grad():
        each = model(text[:, :-1]).log_softmax(-1).gather(2, text[:, 1:, None])[0, :, 0]
    return float(each[len(prompt) - 1 :].sum())


def exhaustive(model, prompt, steps: int, stop: Stop | None, penalty: float) -> list[Beam]:
    """Every continuation, up to where it stops, best first."""
    found = {}
    for ids in product(range(5), repeat=steps):
        ended = False
        for length in range(1, steps + 1):
            if stop is not None and bool(stop.reached(torch.tensor([ids[:length]]))):
                ids, ended = ids[:length], True
                break
        if ids not in found:
            value = total(model, prompt, ids)
            found[ids] = Beam(ids, value, value / len(ids) ** penalty, ended)
    return sorted(found.values(), key=lambda beam: -beam.score)


@pytest.mark.slow
@pytest.mark.parametrize("stop", [None, Stop((2,)), Stop((1, 4), (0,))])
@pytest.mark.parametrize("penalty", [0.0, 1.0, -0.5])
def test_a_beam_of_full_width_is_exhaustive_search(stop: Stop | None, penalty: float) -> None:
    found = beam_search(MODEL, PROMPT, width=5**3, steps=3, stop=stop, penalty=penalty)
    for prompt, beams in zip(PROMPT, found.beams, strict=True):
        expected = exhaustive(MODEL, prompt, 3, stop, penalty)
        assert [(one.ids, one.ended) for one in beams] == [(one.ids, one.ended) for one in expected]
        assert [one.score for one in beams] == pytest.approx([one.score for one in expected], abs=1e-9)


@pytest.mark.slow
@settings(max_examples=10)
@given(some.integers(1, 4), some.integers(1, 25), some.sampled_from([None, Stop((2,)), Stop((1, 1), (3,))]))
def test_scores_are_the_log_probabilities_of_a_full_pass(width: int, steps: int, stop: Stop | None) -> None:
    found = beam_search(MODEL, PROMPT, width=width, steps=steps, stop=stop, penalty=0.6)
    for prompt, beams in zip(PROMPT, found.beams, strict=True):
        for one in beams:
            assert one.log_probability == pytest.approx(total(MODEL, prompt, one.ids), abs=1e-9)
            assert one.score == pytest.approx(one.log_probability / len(one.ids) ** 0.6)
        assert beams == sorted(beams, key=lambda beam: -beam.score) and len(
            {one.ids for one in beams}
        ) == len(beams)


def test_a_beam_of_one_is_greedy() -> None:
    found = beam_search(MODEL, PROMPT, width=1, steps=20)
    greedy = continuation(MODEL, PROMPT, steps=20, sampler=GREEDY)
    assert [list(one.ids) for one in found.best] == greedy.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("change", [{}, {"attention": "linear"}, {"ngram": 2, "position": "alibi"}])
def test_with_a_cache_is_without_one(change) -> None:
    model = made(**change)
    given = [torch.tensor([3, 1, 2]), torch.tensor([4])]
    cached = beam_search(model, given, width=3, steps=20, stop=Stop((2, 2)))
    plain = beam_search(lambda ids: model(ids), given, width=3, steps=20, stop=Stop((2, 2)))
    alone = beam_search(model, given[1][None], width=3, steps=20, stop=Stop((2, 2)))
    for one, other in ((cached.beams, plain.beams), (cached.beams[1:], alone.beams)):
        assert [[beam.ids for beam in row] for row in one] == [[beam.ids for beam in row] for row in other]


def test_a_cache_that_stays_behind_is_caught(monkeypatch) -> None:
    monkeypatch.setattr(KVCache, "select", lambda self, move: None if self.length > 4 else select(self, move))  # fmt: skip
    found = beam_search(MODEL, PROMPT, width=4, steps=20)
    apart = [abs(one.log_probability - total(MODEL, PROMPT[0], one.ids)) for one in found.beams[0]]
    assert max(apart) > 1e-3


select = KVCache.select


def test_beyond_the_context_each_rule_is_its_own() -> None:
    model = made(context=6)
    for rule in ("recompute", "window"):
        found = beam_search(model, PROMPT, width=3, steps=12, beyond=rule).best[0]
        ids = torch.cat([PROMPT[0], torch.tensor(found.ids)])
        if rule == "recompute":
            each = [model(ids[None, max(0, end - 6) : end])[0, -1] for end in range(2, 14)]
        else:
            cache = model.cache(beyond="window")
            each = [
                model.next(ids[None, a:b], cache)[0] for a, b in [(0, 2)] + [(n, n + 1) for n in range(2, 13)]
            ]
        logs = torch.stack(each).detach().log_softmax(-1).gather(1, ids[2:, None])
        assert found.log_probability == pytest.approx(float(logs.sum()), abs=1e-9)


def test_the_tree_holds_the_beam_the_runners_up_and_those_that_ended() -> None:
    found = beam_search(MODEL, PROMPT, width=2, steps=3, stop=Stop((2,)))
    nodes = list(found.tree(1))
    for node in nodes:
        assert node.log_probability == pytest.approx(total(MODEL, PROMPT[1], node.ids), abs=1e-9)
        assert (node.state == "ended") == (node.ids[-1] == 2)
    for length in (1, 2, 3):
        kept = [node.log_probability for node in nodes if len(node.ids) == length and node.state == "kept"]
        dropped = [
            node.log_probability for node in nodes if len(node.ids) == length and node.state == "dropped"
        ]
        assert len(kept) == 2 and min(kept) >= max(dropped, default=-torch.inf)
    live = {node.ids for node in nodes if node.state == "kept"}
    assert all(node.ids[:-1] in live | {()} for node in nodes)


def test_the_search_ends_once_nothing_alive_can_win() -> None:
    reads = []

    def model(ids):
        reads.append(ids.shape[1])
        return torch.tensor([9.0, 0.0, 0.0]).expand(*ids.shape, 3)

    found = beam_search(model, torch.tensor([[1]]), width=1, steps=50, stop=Stop((0,)))
    assert found.best[0].ids == (0,) and len(reads) == 1


@pytest.mark.slow
def test_transformers_finds_the_same(tmp_path) -> None:
    transformers = pytest.importorskip("transformers")
    from regard.models.gpt.huggingface import save_gpt2

    model = made(position="learned", vocabulary=11, heads=2, width=16).float()
    save_gpt2(model, tmp_path)
    other = transformers.GPT2LMHeadModel.from_pretrained(tmp_path).eval()
    prompt = torch.tensor([[3, 1, 4], [1, 5, 9]])
    with torch.no_grad():
        theirs = other.generate(
            prompt, attention_mask=torch.ones_like(prompt), num_beams=4, max_new_tokens=21, do_sample=False,
            length_penalty=0.0, num_return_sequences=4, output_scores=True, return_dict_in_generate=True,
            pad_token_id=0, eos_token_id=None,
        )  # fmt: skip
    ours = beam_search(model, prompt, width=4, steps=21)
    assert [list(one.ids) for beams in ours.beams for one in beams] == theirs.sequences[:, 3:].tolist()
    scores = [one.score for beams in ours.beams for one in beams]
    assert scores == pytest.approx(theirs.sequences_scores.tolist(), abs=1e-4)


def test_a_beam_without_width_is_told_in_three_lines() -> None:
    with pytest.raises(RegardError) as caught:
        beam_search(MODEL, PROMPT, width=0, steps=1)
    assert str(caught.value) == "a beam has a width\n  got: width=0\n  fix: keep at least one beginning"


class Watched:
    """A reader that notes how it is asked."""

    def __init__(self, asked) -> None:
        self.asked, self.reads, self.moves, self.shared = asked, 0, [], []
        self.ids = torch.empty(0)

    def read(self, ids: torch.Tensor) -> torch.Tensor:
        self.reads += 1
        self.ids = ids if self.reads == 1 else torch.cat([self.ids, ids], 1)
        return self.asked.read(ids)

    def select(self, rows: torch.Tensor, since: int = 0) -> None:
        self.moves.append(rows.tolist())
        if len(rows) == len(self.ids):
            same = (self.ids[rows] == self.ids).all(0).tolist()
            self.shared.append((since, same.index(False) if False in same else len(same)))
        self.ids = self.ids[rows]
        self.asked.select(rows, since)


def watched(monkeypatch: pytest.MonkeyPatch, model, prompt, **words) -> Watched:
    """A search by a reader that notes how it is asked."""
    made = []

    def watch(*args, **options) -> Watched:
        made.append(Watched(reader(*args, **options)))
        return made[0]

    monkeypatch.setattr(beam, "reader", watch)
    beam_search(model, prompt, **words)
    return made[0]


def coin(ids: torch.Tensor) -> torch.Tensor:
    """Two tokens, always as probable as each other."""
    return torch.zeros(*ids.shape, 2)


@pytest.mark.parametrize(("penalty", "reads"), [(0.0, 1), (-1.0, 1), (1.0, 5)])
def test_a_search_ends_as_soon_as_no_live_beam_can_win(penalty, reads, monkeypatch) -> None:
    words = {"width": 1, "steps": 5, "stop": Stop((0,)), "context": 9}
    assert watched(monkeypatch, coin, torch.tensor([[1]]), penalty=penalty, **words).reads == reads


def test_a_beam_of_one_never_moves_its_cache(monkeypatch) -> None:
    assert watched(monkeypatch, MODEL, PROMPT, width=1, steps=4).moves == []


def test_a_beam_goes_on_where_its_cache_is(monkeypatch) -> None:
    moves = watched(monkeypatch, MODEL, PROMPT[:1], width=4, steps=12).moves
    assert moves[0] == [0, 0, 0, 0]
    later = moves[1:]
    assert later
    for rows in later:
        # Every row that is still wanted stays in its own place.
        assert all(rows[row] == row for row in set(rows))


def test_what_moved_beams_have_in_common_is_left_where_it_is(monkeypatch) -> None:
    shared = watched(monkeypatch, MODEL, PROMPT[1:], width=3, steps=24).shared
    assert len({common for _, common in shared}) > 3
    assert all(told == common for told, common in shared)


def test_a_search_without_a_stop_reads_once_for_each_step(monkeypatch) -> None:
    assert watched(monkeypatch, MODEL, PROMPT, width=2, steps=3).reads == 3


@pytest.mark.parametrize("width", [0, 10_001])
def test_a_beam_without_width_or_beyond_memory_is_told(width) -> None:
    with pytest.raises(RegardError, match=f"width={width}"):
        beam_search(coin, torch.tensor([[1]]), width=width, steps=1, context=9)


@pytest.mark.parametrize("penalty", [-100.5, 100.5])
def test_a_penalty_that_no_score_survives_is_told(penalty) -> None:
    with pytest.raises(RegardError, match=f"penalty={penalty}"):
        beam_search(coin, torch.tensor([[1]]), width=1, steps=1, penalty=penalty, context=9)


def test_the_widest_beam_and_the_largest_penalty_are_taken() -> None:
    found = beam_search(coin, torch.tensor([[1]]), width=10_000, steps=2, penalty=100.0, context=9)
    assert len(found.beams[0]) == 4
    assert beam_search(coin, torch.tensor([[1]]), width=1, steps=1, penalty=-100.0, context=9).best
