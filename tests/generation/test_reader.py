"""Readers: each rule beyond the context against its definition, and rows that move."""

import pytest
import torch

from regard.errors import RegardError
from regard.generation.reader import Whole, aligned, reader
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT


def made(context: int = 7, **change) -> GPT:
    torch.manual_seed(0)
    config = {"vocabulary": 11, "depth": 2, "heads": 2, "width": 8, "init_std": 0.5, "position": "rotary"}
    return GPT(GPTConfig(**(config | {"context": context} | change))).double().eval()


def text(rows: int, length: int) -> torch.Tensor:
    return torch.randint(11, (rows, length), generator=torch.Generator().manual_seed(4))


def read_all(model, ids: torch.Tensor, sizes: list[int], **words) -> torch.Tensor:
    asked = reader(model, **words)
    return torch.stack([asked.read(part) for part in ids.split(sizes, 1)], 1)


@pytest.mark.slow
@pytest.mark.parametrize("change", [{}, {"attention": "linear"}, {"position": "learned"}])
def test_recompute_is_the_crop_of_the_assignments(change) -> None:
    model, ids = made(**change), text(2, 12)
    found = read_all(model, ids, [4, 1, 1, 2, 3, 1])
    for place, end in enumerate((4, 5, 6, 8, 11, 12)):
        expected = model(ids[:, max(0, end - 7) : end])[:, -1].detach()
        torch.testing.assert_close(found[:, place], expected, atol=1e-11, rtol=1e-11)


def test_recompute_and_window_part_beyond_the_context_in_a_model_of_two_layers() -> None:
    """The window's keys have seen what the crop has cut off."""
    model, ids = made(), text(1, 12)
    crop, window = (read_all(model, ids, [4] + [1] * 8, beyond=rule) for rule in ("recompute", "window"))
    apart = (crop - window).abs().amax((0, 2))
    assert apart[:4].max() < 1e-11 and apart[4:].min() > 1e-6


def test_a_model_with_a_cache_and_no_known_context_is_read_by_its_cache() -> None:
    model, ids = made(context=12), text(2, 12)

    class Unbounded:
        cache, next = model.cache, model.next

        def __call__(self, ids):
            raise AssertionError("all was read anew")

    found = read_all(Unbounded(), ids, [4, 1, 7])
    torch.testing.assert_close(found[:, -1], model(ids)[:, -1].detach(), atol=1e-11, rtol=1e-11)


def test_endless_goes_on_with_all_that_was_read() -> None:
    model, ids = made(attention="linear"), text(2, 23)
    longer = made(context=23, attention="linear")
    longer.load_state_dict(model.state_dict())
    found = read_all(model, ids, [5] + [1] * 18, beyond="endless")
    torch.testing.assert_close(found, longer(ids)[:, 4:].detach(), atol=1e-11, rtol=1e-11)


@pytest.mark.parametrize("words", [{}, {"beyond": "window"}])
def test_moved_rows_take_their_past_with_them_before_and_beyond_the_context(words) -> None:
    model, ids, rows = made(), text(2, 12), torch.tensor([1, 1, 0])
    for cut in (5, 9):
        asked = reader(model, **words)
        asked.read(ids[:, :cut])
        asked.select(rows)
        moved = asked.read(ids[rows, cut:])
        torch.testing.assert_close(moved, read_all(model, ids[rows], [cut, 12 - cut], **words)[:, -1])


def test_rows_of_one_length_are_read_together() -> None:
    shapes = []

    def model(ids):
        shapes.append(tuple(ids.shape))
        return torch.nn.functional.one_hot(ids, 11).double()

    asked = Whole(model, context=4, pads=torch.tensor([0, 3, 1, 3]))
    assert asked.read(text(4, 5)).argmax(-1).tolist() == text(4, 5)[:, -1].tolist()
    assert shapes == [(2, 2), (2, 4)]


def test_prompts_are_moved_to_the_right() -> None:
    ids, pads = aligned([torch.tensor([1]), torch.tensor([2, 3, 4])])
    assert ids.tolist() == [[0, 0, 1], [2, 3, 4]] and pads is not None and pads.tolist() == [2, 0]
    assert aligned([torch.tensor([1]), torch.tensor([2])])[1] is None


@pytest.mark.parametrize(
    ("model", "words", "message"),
    [
        (made(), {"beyond": "windw"}, "no rule of that name\n  got: 'windw'\n  fix: did you mean 'window'?"),
        (lambda ids: ids, {"beyond": "window"}, "the rule 'window' needs a model with a cache\n  got: function\n  fix: use 'recompute'"),
        (made(), {"beyond": "window", "context": 5}, "the rule 'window' goes by the model's own context\n  got: context=5, the model's is 7\n  fix: leave the context out, or use 'recompute'"),
    ],
)  # fmt: skip
def test_a_rule_that_is_none_is_told_in_three_lines(model, words, message) -> None:
    with pytest.raises(RegardError) as caught:
        reader(model, **words)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("prompt", "got"),
    [
        (torch.zeros(1, 0, dtype=torch.long), "a tensor (1, 0) of torch.int64"),
        (torch.zeros(0, 3, dtype=torch.long), "a tensor (0, 3) of torch.int64"),
        (torch.zeros(3, dtype=torch.long), "a tensor (3,) of torch.int64"),
        (torch.zeros(1, 3), "a tensor (1, 3) of torch.float32"),
        ([], "no prompt"),
        ([torch.zeros(0, dtype=torch.long)], "a tensor (0,) of torch.int64"),
        ([torch.zeros(1, 2, dtype=torch.long)], "a tensor (1, 2) of torch.int64"),
        ([torch.zeros(2)], "a tensor (2,) of torch.float32"),
    ],
)
def test_what_is_no_prompt_is_told_in_three_lines(prompt, got) -> None:
    with pytest.raises(RegardError) as error:
        aligned(prompt)
    assert str(error.value) == (
        "a prompt is ids of the shape (b n), or a list of ids (n), with at least one token\n"
        f"  got: {got}\n  fix: give the model a token to start from"
    )


def test_one_token_in_one_row_is_a_prompt() -> None:
    ids = torch.tensor([[4]])
    assert aligned(ids) == (ids, None)
    assert aligned([ids[0]])[0].tolist() == [[4]]


def test_a_cache_serves_until_the_context_is_full() -> None:
    asked = reader(made(context=7))
    asked.read(text(2, 6))
    asked.read(text(2, 1))
    assert asked.cache is not None and asked.cache.length == 7
    asked.read(text(2, 1))
    assert asked.cache is None
