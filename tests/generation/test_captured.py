"""Generation by a captured graph says what the model says; elsewhere it is not tried."""

import pytest
import torch

from regard import GPT, GPTConfig, continuation
from regard.generation.captured import captured
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
