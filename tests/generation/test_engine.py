import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

from regard.errors import RegardError
from regard.generation.engine import MOST, check, continuation, generate, stream
from regard.generation.sampling import GREEDY, Sampler
from regard.generation.stopping import Stop
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT

SMALL = {"vocabulary": 11, "context": 13, "depth": 2, "heads": 2, "width": 8, "init_std": 0.5}


def made(**change) -> GPT:
    torch.manual_seed(0)
    return GPT(GPTConfig(**(SMALL | {"position": "rotary"} | change))).eval()


MODEL = made()
MODELS = {
    "rotary": MODEL,
    "learned": made(position="learned"),
    "linear": made(attention="linear"),
    "ngram": made(ngram=2),
}


def prompts(*lengths: int) -> list[torch.Tensor]:
    chance = torch.Generator().manual_seed(3)
    return [torch.randint(0, 11, (length,), generator=chance) for length in lengths]


def slow(model: GPT, prompt: torch.Tensor, steps: int) -> torch.Tensor:
    """Greedy decoding as course assignments have it: crop, read everything, take the largest."""
    ids = prompt
    for _ in range(steps):
        ids = torch.cat([ids, model(ids[:, -13:])[:, -1].argmax(-1, keepdim=True)], 1)
    return ids[:, prompt.shape[1] :]


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=6)
@given(some.integers(1, 17), some.integers(1, 19), some.integers(1, 3))
def test_cached_is_uncached_within_the_context_and_the_crop_beyond(
    name: str, length: int, steps: int, batch: int
) -> None:
    model = MODELS[name]
    prompt = torch.randint(0, 11, (batch, length), generator=torch.Generator().manual_seed(length))
    assert torch.equal(continuation(model, prompt, steps=steps, sampler=GREEDY), slow(model, prompt, steps))


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=6)
@given(some.lists(some.integers(1, 17), min_size=1, max_size=4), some.integers(1, 19))
def test_prompts_of_different_length_go_on_as_each_alone(name: str, lengths: list[int], steps: int) -> None:
    model = MODELS[name]
    together = continuation(model, prompts(*lengths), steps=steps, sampler=GREEDY)
    for row, prompt in enumerate(prompts(*lengths)):
        assert torch.equal(together[row : row + 1], slow(model, prompt[None], steps))


@pytest.mark.slow
def test_any_callable_goes_on_like_a_model_with_a_cache() -> None:
    def plain(ids):
        return MODEL(ids)

    given = prompts(2, 7, 15)
    ours, theirs = (
        continuation(one, given, steps=17, context=13, sampler=Sampler(top_k=4), generator=seeded(3))
        for one in (MODEL, plain)
    )
    assert torch.equal(ours, theirs)
    endless = continuation(lambda ids: (ids.sum(1) % 11 == torch.arange(11)[:, None]).float().T[:, None], torch.tensor([[1, 1]]), steps=4, sampler=GREEDY)  # fmt: skip
    assert endless.tolist() == [[2, 4, 8, 5]], "without a context all is read"


def test_a_cache_is_read_a_token_at_a_time() -> None:
    sizes = []

    class Watched(torch.nn.Module):
        def cache(self):
            return MODEL.cache()

        def forward(self, ids, cache=None):
            sizes.append(ids.shape[1])
            return MODEL(ids, cache)

    list(generate(Watched(), torch.zeros(1, 4, dtype=torch.long), steps=12, context=13, sampler=GREEDY))
    assert sizes == [4] + [1] * 9 + [13, 13]


def test_three_and_one_are_four() -> None:
    prompt = prompts(5)[0][None]
    four = continuation(MODEL, prompt, steps=4, sampler=GREEDY)
    three = continuation(MODEL, prompt, steps=3, sampler=GREEDY)
    one = continuation(MODEL, torch.cat([prompt, three], 1), steps=1, sampler=GREEDY)
    assert torch.equal(four, torch.cat([three, one], 1))


@pytest.mark.slow
def test_nothing_is_left_behind_by_another_prompt() -> None:
    a, b = (one[None] for one in prompts(5, 9))
    first, _, again = (
        continuation(MODEL, one, steps=20, sampler=Sampler(), generator=seeded(1)) for one in (a, b, a)
    )
    assert torch.equal(first, again)


def test_one_of_a_batch_is_the_same_alone() -> None:
    given = prompts(5, 5, 5)
    together = continuation(MODEL, torch.stack(given), steps=6, sampler=GREEDY)
    assert torch.equal(together[1:2], continuation(MODEL, given[1][None], steps=6, sampler=GREEDY))


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_seeds_reproduce_and_differ() -> None:
    prompt = torch.zeros(1, 2, dtype=torch.long)
    first, again, other = (
        continuation(MODEL, prompt, steps=9, sampler=Sampler(top_k=5), generator=seeded(seed))
        for seed in (1, 1, 2)
    )
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_rows_with_seeds_of_their_own_are_the_same_alone() -> None:
    given = prompts(3, 6)
    together = continuation(
        MODEL, given, steps=14, sampler=Sampler(top_p=0.9), generator=[seeded(5), seeded(6)]
    )
    alone = continuation(MODEL, given[1:], steps=14, sampler=Sampler(top_p=0.9), generator=[seeded(6)])
    assert torch.equal(together[1:], alone)


def test_a_stop_ends_a_row_and_the_last_row_ends_all() -> None:
    def count(ids):
        return torch.nn.functional.one_hot((ids + 1) % 11, 11).float()

    tokens = list(
        stream(count, [*prompts(1), torch.tensor([0])], steps=30, sampler=GREEDY, stop=Stop((4,), (6, 7)))
    )
    found = torch.stack([token.ids for token in tokens], 1).tolist()
    start = int(prompts(1)[0])
    assert found[1] == [1, 2, 3, 4] + [-1] * (len(tokens) - 4)
    assert found[0][: found[0].index(-1) if -1 in found[0] else None][-1] in (4, 7) and start != 0
    assert tokens[-1].ended.all() and not tokens[-2].ended.all() and len(tokens) < 30


def test_a_stop_in_the_prompt_does_not_count() -> None:
    tokens = continuation(
        lambda ids: torch.zeros(*ids.shape, 5),
        torch.tensor([[3, 3]]),
        steps=2,
        stop=Stop((3, 0)),
        sampler=GREEDY,
    )
    assert tokens.tolist() == [[0, 0]]


def test_log_probabilities_and_alternatives_are_those_of_a_full_pass() -> None:
    prompt, ids = prompts(4)[0][None], []
    for token in stream(
        MODEL, prompt, steps=8, sampler=Sampler(temperature=0.5, top_k=3), generator=seeded(0)
    ):
        text = torch.cat([prompt, *ids], 1)
        expected = MODEL(text)[:, -1].log_softmax(-1)
        torch.testing.assert_close(token.log_probabilities(), expected[0, token.ids].detach())
        best, which = token.alternatives(3)
        assert torch.equal(which, expected.argsort(-1, descending=True)[:, :3])
        torch.testing.assert_close(best, expected.gather(1, which).detach())
        assert token.alternatives(99)[0].shape == (1, 11)
        ids.append(token.ids[:, None])


def test_the_penalty_speaks_of_the_prompt_and_of_what_was_said_but_not_of_pads() -> None:
    def flat(ids):
        return torch.tensor([3.0, 2.0, 1.0]).expand(*ids.shape, 3)

    given = [torch.tensor([1, 1, 1]), torch.tensor([2])]
    found = continuation(flat, given, steps=2, sampler=Sampler(temperature=0, penalty=100.0))
    assert found.tolist() == [[0, 2], [0, 1]]


def test_what_is_generated_can_be_trained_on() -> None:
    ids = continuation(MODEL, prompts(3)[0][None], steps=5, sampler=GREEDY)
    MODEL(ids).sum().backward()
    assert all(one.grad is not None and one.grad.isfinite().all() for one in MODEL.parameters())
    MODEL.zero_grad()


@pytest.mark.parametrize(
    ("prompt", "words", "message"),
    [
        (torch.zeros(1, 0, dtype=torch.long), {"steps": 1}, "a prompt is ids of the shape (b n), or a list of ids (n), with at least one token\n  got: a tensor (1, 0) of torch.int64\n  fix: give the model a token to start from"),
        ([torch.tensor([1]), torch.zeros(0, dtype=torch.long)], {"steps": 1}, "a prompt is ids of the shape (b n), or a list of ids (n), with at least one token\n  got: a tensor (0,) of torch.int64\n  fix: give the model a token to start from"),
        (torch.zeros(1, 1, dtype=torch.long), {"steps": 0}, "there is nothing to generate\n  got: steps=0\n  fix: give at least 1"),
        (torch.tensor([[11]]), {"steps": 1}, "a token id outside of the vocabulary\n  got: ids from 11 to 11\n  fix: ids go from 0 to 10"),
    ],
)  # fmt: skip
def test_nothing_to_start_from_or_to_do_is_told(prompt, words, message) -> None:
    with pytest.raises(RegardError) as caught:
        list(generate(MODEL, prompt, **words))
    assert str(caught.value) == message


def test_the_penalty_speaks_of_the_first_token_of_a_prompt_that_was_moved() -> None:
    def flat(ids: torch.Tensor) -> torch.Tensor:
        return torch.ones(*ids.shape, 5)

    given = [torch.tensor([0, 1, 2]), torch.tensor([0])]
    found = continuation(flat, given, steps=1, context=9, sampler=Sampler(temperature=0, penalty=2.0))
    assert found.tolist() == [[3], [1]]


@pytest.mark.parametrize("steps", [0, 10**9 + 1])
def test_no_steps_and_more_than_memory_holds_are_told(steps: int) -> None:
    with pytest.raises(RegardError, match=f"steps={steps}"):
        continuation(MODEL, torch.tensor([[1]]), steps=steps)


def test_as_many_generators_as_rows_or_three_lines() -> None:
    two = [torch.Generator().manual_seed(seed) for seed in (1, 2)]
    assert continuation(MODEL, torch.tensor([[1], [2]]), steps=2, generator=two).shape == (2, 2)
    with pytest.raises(RegardError) as error:
        continuation(MODEL, torch.tensor([[1]]), steps=2, generator=two)
    assert str(error.value) == (
        "draws need one generator, or one for each row\n"
        "  got: 2 generators, 1 rows\n  fix: give as many as there are prompts"
    )


def test_a_billion_tokens_is_the_most() -> None:
    check(MOST, None)
    with pytest.raises(RegardError, match="so many tokens fit into no memory"):
        check(MOST + 1, None)


class OnGPU(torch.Tensor):
    """A tensor that says it lies on a GPU."""

    is_cuda = True


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ({}, True),
        ({"sampler": GREEDY}, True),
        ({"sampler": GREEDY, "generator": torch.Generator()}, True),
        ({"generator": [torch.Generator()]}, False),
        ({"sampler": GREEDY, "stop": Stop((3,))}, False),
        ({"context": 4}, False),
    ],
)
def test_on_a_gpu_a_graph_is_asked_where_nothing_is_looked_at_between_two_tokens(
    words: dict, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def captured(model, prompt, steps, sampler, generator) -> torch.Tensor:
        calls.append((steps, sampler, generator))
        return torch.full((1, steps), 7)

    monkeypatch.setattr("regard.generation.engine.captured", captured)
    monkeypatch.setattr("torch.cuda.is_current_stream_capturing", lambda: False)
    prompt = torch.tensor([[1, 2]]).as_subclass(OnGPU)
    found = continuation(MODEL, prompt, steps=3, **words)
    assert calls == ([(3, words.get("sampler") or Sampler(), words.get("generator"))] if asked else [])
    assert found.tolist() == [[7, 7, 7]] or not asked
    continuation(MODEL, torch.tensor([[1, 2]]), steps=3, **words)
    assert len(calls) == asked
