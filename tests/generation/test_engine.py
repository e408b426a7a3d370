import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from regard.errors import RegardError
from regard.generation.engine import continuation, generate
from regard.generation.sampling import GREEDY, Sampler
from regard.models.config import Config
from regard.models.gpt import GPT

torch.manual_seed(0)
MODEL = GPT(
    Config(vocabulary=11, context=13, depth=2, heads=2, width=8, position="rotary", deviation=0.5)
).eval()


def slow(prompt: torch.Tensor, steps: int) -> torch.Tensor:
    """Greedy decoding as the documents have it: crop, read everything, take the largest."""
    ids = prompt
    for _ in range(steps):
        ids = torch.cat([ids, MODEL(ids[:, -13:])[:, -1].argmax(-1, keepdim=True)], 1)
    return ids[:, prompt.shape[1] :]


@given(some.integers(1, 17), some.integers(1, 19), some.integers(1, 3))
def test_cached_is_uncached_within_the_context_and_the_crop_beyond(
    length: int, steps: int, batch: int
) -> None:
    prompt = torch.randint(0, 11, (batch, length), generator=torch.Generator().manual_seed(length))
    assert torch.equal(
        continuation(MODEL, prompt, steps=steps, context=13, sampler=GREEDY), slow(prompt, steps)
    )


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


def test_one_of_a_batch_is_the_same_alone() -> None:
    prompts = torch.randint(0, 11, (3, 5), generator=torch.Generator().manual_seed(0))
    together = continuation(MODEL, prompts, steps=6, context=13, sampler=GREEDY)
    assert torch.equal(together[1:2], continuation(MODEL, prompts[1:2], steps=6, context=13, sampler=GREEDY))


def test_seeds_reproduce() -> None:
    prompt = torch.zeros(1, 2, dtype=torch.long)
    first, again, other = (
        continuation(
            MODEL,
            prompt,
            steps=9,
            context=13,
            sampler=Sampler(top_k=5),
            generator=torch.Generator().manual_seed(seed),
        )
        for seed in (1, 1, 2)
    )
    assert torch.equal(first, again) and not torch.equal(first, other)


@pytest.mark.parametrize(
    ("prompt", "steps", "what"),
    [
        (
            torch.zeros(1, 0, dtype=torch.long),
            1,
            "a prompt is ids of the shape (b n) with at least one token",
        ),
        (torch.zeros(1, 1, dtype=torch.long), 0, "there is nothing to generate"),
    ],
)
def test_nothing_to_start_from_or_to_do_is_told(prompt, steps, what) -> None:
    with pytest.raises(RegardError) as caught:
        list(generate(MODEL, prompt, steps=steps, context=13))
    assert caught.value.what == what
