"""What does not fit a model is told: too long a text, an input of another kind, a tuple of several."""

import pytest
import torch
from torch import Tensor, nn

from regard.errors import RegardError
from regard.lab.look.attention import attention
from regard.lab.look.fitting import misfit, require_fitting, unpacked
from regard.models.graph.layers import GAT

RING = torch.stack([torch.arange(6), (torch.arange(6) + 1) % 6])


class Small(nn.Module):
    """A model of 64 places, which it does not tell."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(256, 8), nn.Embedding(64, 8)
        self.attend = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, ids: Tensor, targets: Tensor | None = None) -> Tensor:
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
        return self.attend(x, x, x)[0]


def test_a_text_that_is_too_long_says_how_many_tokens_fit() -> None:
    said = "the text is too long for the model\n  got: 120 tokens, of which 64 fit\n  fix: give a text of at most 64 tokens"
    model = Small().train()
    with pytest.raises(RegardError) as error:
        attention(model, 120 * "a")
    assert str(error.value) == said and model.attend.training
    assert attention(model, 64 * "a").weights[0].shape == (1, 2, 64, 64)


def test_ids_that_a_model_does_not_know_are_not_too_long() -> None:
    ids = torch.full((1, 12), 300)
    require_fitting(Small(), [(ids,)])
    with pytest.raises(RegardError, match="the model cannot be called with this") as error:
        attention(Small(), "abc", tokenizer=lambda text: [300, 1, 2])
    assert "a tensor (1, 3) of torch.int64: IndexError" in error.value.got


@pytest.mark.parametrize("given", [3, torch.randn(1, 5, 3), [1]])
def test_what_a_model_does_not_take_is_told_in_three_lines(given: object) -> None:
    with pytest.raises(RegardError) as error:
        attention(Small(), given)
    assert error.value.what == "the model cannot be called with this"
    assert len(str(error.value).splitlines()) == 3 and "(ids: " in error.value.fix
    assert error.value.__cause__ is not None, "the whole trace is kept"


def test_a_tuple_stands_for_the_inputs_of_a_model_that_takes_several() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = GAT(4, 8, 3, heads=2)

        def forward(self, x: Tensor, edges: Tensor) -> Tensor:
            return self.inner(x, edges)

    for model in (Net(), GAT(4, 8, 3, heads=2)):
        assert [one.weights.shape for one in attention(model, (torch.randn(6, 4), RING)).layers] == [
            (1, 2, 6),
            (1, 1, 6),
        ]


def test_a_model_of_one_tuple_gets_it_whole() -> None:
    class Pair(nn.Module):
        def forward(self, pair: tuple[Tensor, Tensor]) -> Tensor:
            return (pair[0] @ pair[1].mT).softmax(-1) @ pair[1]

    assert unpacked(Pair(), ((1, 2),)) == [((1, 2),)]
    x = torch.randn(1, 4, 3)
    assert attention(Pair(), (x, x)).weights[0].shape == (1, 1, 4, 4)


def test_a_misfit_names_what_was_given() -> None:
    told = misfit(nn.Linear(2, 2), ("a",), TypeError("no\nmore"))
    assert told.got == "'a': TypeError: no" and told.fix.startswith("pass what its forward takes: (input")
