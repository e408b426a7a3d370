"""Generation by a captured graph says what the model says; elsewhere it is not tried."""

from types import SimpleNamespace

import pytest
import torch

from regard import GPT, GPTConfig, continuation
from regard.generation import captured as subject
from regard.generation.captured import Replayed, captured
from regard.generation.sampling import GREEDY, Sampler

GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")


def model(device: str = "cpu") -> GPT:
    torch.manual_seed(0)
    made = GPT(GPTConfig(vocabulary=11, context=32, depth=2, heads=2, width=16)).eval()
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return made.to(device)


def test_on_a_cpu_nothing_is_captured() -> None:
    prompt = torch.zeros(1, 3, dtype=torch.long)
    assert captured(model(), prompt, 4, GREEDY, None) is None
    assert model().device_steps(1) is None


class OnGPU(torch.Tensor):
    """A tensor that says it lies on a GPU."""

    device = torch.device("cuda")


class Counting:
    """Steps of a model for which the next number follows: 3 after 2, 0 after 10."""

    def __init__(self, rows: int) -> None:
        self.rows, self.advances = rows, 0
        self.ids, self.logits = torch.zeros(rows, dtype=torch.long), torch.zeros(rows, 11)

    def fits(self, rows: int) -> bool:
        return rows == self.rows

    def read(self, ids: torch.Tensor) -> torch.Tensor:
        self.logits.copy_(torch.nn.functional.one_hot((ids[:, -1] + 1) % 11, 11).float())
        return self.logits

    def advance(self) -> None:
        self.advances += 1
        self.read(self.ids[:, None])


class Uncaptured(Replayed):
    """A step that is taken where a graph of it would be replayed."""

    def _prepare(self) -> None:
        self.graph = SimpleNamespace(replay=self._once)


class Offer:
    """A model that has steps to offer, and keeps those it has given."""

    def __init__(self) -> None:
        self.config, self.given = SimpleNamespace(context=8, vocabulary=11), []

    def device_steps(self, rows: int) -> Counting:
        self.given.append(Counting(rows))
        return self.given[-1]


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Offer:
    """Such a model, with Triton's interpreter for the draw."""
    import kernels

    assert kernels, "it skips where Triton is missing"
    monkeypatch.setattr(subject, "Replayed", Uncaptured)
    return Offer()


def prompt(*numbers: int) -> torch.Tensor:
    """A row for each number, three tokens that end in it."""
    return torch.tensor([[5, 5, number] for number in numbers]).as_subclass(OnGPU)


@pytest.mark.slow
def test_a_replay_for_each_token_but_the_first_whose_logits_are_the_prompts(offer: Offer) -> None:
    found = captured(offer, prompt(2, 9), 5, GREEDY, None)
    assert found is not None
    assert found.tolist() == [[3, 4, 5, 6, 7], [10, 0, 1, 2, 3]]
    assert [one.advances for one in offer.given] == [4]


@pytest.mark.slow
def test_steps_are_kept_until_rows_or_sampler_change(offer: Offer) -> None:
    assert captured(offer, prompt(2), 2, GREEDY, None) is not None
    assert captured(offer, prompt(4), 3, Sampler(temperature=0.0), None) is not None
    assert len(offer.given) == 1
    assert captured(offer, prompt(4), 2, Sampler(top_k=1), None) is not None
    assert len(offer.given) == 2
    assert captured(offer, prompt(4, 5), 2, Sampler(top_k=1), None) is not None
    assert [one.rows for one in offer.given] == [1, 1, 2]


@pytest.mark.slow
def test_what_fills_the_context_is_captured_and_one_token_more_or_a_single_one_is_not(offer: Offer) -> None:
    assert captured(offer, prompt(2), 5, GREEDY, None) is not None
    assert captured(offer, prompt(2), 6, GREEDY, None) is None
    assert captured(offer, prompt(2), 2, GREEDY, None) is not None
    assert captured(offer, prompt(2), 1, GREEDY, None) is None
    assert captured(offer, prompt(2), 3, Sampler(top_p=0.5), None) is None
    assert captured(offer, torch.tensor([[5, 5, 2]]), 5, GREEDY, None) is None
    assert captured(object(), prompt(2), 5, GREEDY, None) is None


@GPU
@pytest.mark.parametrize("rows", [1, 3])
def test_tokens_are_those_of_the_whole_text_read_anew(rows: int) -> None:
    own, known = model("cuda"), torch.randint(11, (rows, 4), device="cuda")
    found = captured(own, known, 20, GREEDY, None)
    assert found is not None
    with torch.inference_mode():
        for _ in range(20):
            known = torch.cat([known, own(known)[:, -1:].argmax(-1)], 1)
    assert torch.equal(found, known[:, 4:])
    assert torch.equal(continuation(own, known[:, :4], steps=20, sampler=GREEDY), found)


@GPU
def test_a_graph_is_kept_until_weights_rows_or_sampler_change() -> None:
    own, prompt = model("cuda"), torch.zeros(2, 4, dtype=torch.long, device="cuda")
    first = captured(own, prompt, 6, GREEDY, None)
    with torch.no_grad():
        own.tokens.weight.add_(torch.randn_like(own.tokens.weight))
    changed = captured(own, prompt, 6, GREEDY, None)
    assert first is not None and changed is not None
    assert not torch.equal(first, changed)
    drawn = captured(own, prompt, 6, Sampler(top_k=3), torch.Generator().manual_seed(1))
    again = captured(own, prompt, 6, Sampler(top_k=3), torch.Generator().manual_seed(1))
    assert drawn is not None and again is not None
    assert torch.equal(drawn, again)
    assert captured(own, prompt, 6, Sampler(top_p=0.5), None) is None
    assert captured(own, prompt, 29, GREEDY, None) is None
