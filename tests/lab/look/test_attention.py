"""`regard.attention`: any model, a text, a tensor, a picture, a graph."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import regard
from regard.core.attend import attend
from regard.core.support import Causal
from regard.data.tokens.tokenizer import Bytes, Character
from regard.errors import RegardError
from regard.lab.look.attention import UNSEEN, attention, batch, pieces
from regard.lab.train.tokens import OWN
from regard.models.attention import split

TEXT = "to be, or not"
LETTERS = Character(TEXT)


def gpt() -> nn.Module:
    torch.manual_seed(0)
    config = regard.GPTConfig(vocabulary=LETTERS.size, context=10, depth=2, heads=2, width=8, dropout=0.5)
    return regard.GPT(config)


def test_the_weights_of_a_gpt_are_those_of_the_reference_backend() -> None:
    model = gpt().train()
    seen = regard.attention(model, "to be", tokenizer=LETTERS)
    assert seen.labels == tuple("to be") and [one.name for one in seen.layers] == [
        "blocks.0.attention",
        "blocks.1.attention",
    ]
    block = model.eval().blocks[0]
    x = model.tokens(LETTERS.encode("to be")[None]) + model.positions(torch.arange(5))
    q, k, v = (split(part, 2) for part in block.attention.mix(block.attention_norm(x)).chunk(3, -1))
    right = attend(q, k, v, support=Causal(), backend="reference", weights=True).weights
    assert right is not None and torch.allclose(seen.weights[0], right, atol=1e-6)


class Encoder:
    """A tokenizer that cannot decode."""

    def encode(self, text: str) -> list[int]:
        return LETTERS.encode(text).tolist()


@pytest.mark.parametrize("tokenizer", [Encoder(), Encoder().encode])
def test_who_encodes_is_a_tokenizer_whose_labels_are_the_characters(tokenizer) -> None:
    right = attention(gpt(), "to be", tokenizer=LETTERS)
    seen = attention(gpt(), "to be", tokenizer=tokenizer)
    assert seen.labels == right.labels and torch.equal(seen.weights[0], right.weights[0])


def test_bytes_of_a_character_are_labelled_with_it() -> None:
    class Raw:
        """A decoder that writes what is no whole character in figures."""

        def encode(self, text: str) -> list[int]:
            return list(text.encode())

        def decode(self, ids: list[int]) -> str:
            return bytes(ids).decode(errors="backslashreplace")

    model = regard.GPT(regard.GPTConfig(vocabulary=256, context=16, depth=2, heads=2, width=16))
    for tokenizer in (Bytes(), Raw()):
        assert attention(model, "aд", tokenizer=tokenizer).labels == ("a", "д₁", "д₂")


def test_pieces_that_make_a_character_together_are_labelled_with_it() -> None:
    parts = {0: b"a", 1: b"\xd0", 2: b"\xb4\xd0", 3: b"\xb4", 4: b"\xff"}

    def decode(ids: list[int]) -> str:
        return b"".join(parts[one] for one in ids).decode(errors="replace")

    assert pieces([0, 1, 3, 0], decode) == ["a", "д₁", "д₂", "a"]
    assert pieces([1, 2, 3], decode) == ["дд₁", "дд₂", "дд₃"]
    assert pieces([4, 0], decode) == ["\ufffd", "a"], "what is no character is not joined with another"


def test_ids_of_more_than_a_character_are_labels_themselves() -> None:
    assert attention(gpt(), "to be", tokenizer=lambda text: [1, 3]).labels == ("1", "3")


def test_a_model_is_left_as_it_was() -> None:
    model = gpt().train()
    model.blocks[1].eval()
    attention(model, "to", tokenizer=LETTERS)
    assert model.blocks[0].training and not model.blocks[1].training
    assert not model._forward_hooks


def test_a_text_longer_than_the_context_is_cut_and_says_so() -> None:
    seen = attention(gpt(), TEXT, tokenizer=LETTERS)
    assert seen.labels == tuple(TEXT[-10:]) and seen.weights[0].shape[-1] == 10
    assert seen.notes == ("the text has 13 tokens; the model sees the last 10 of them",)


def test_without_a_tokenizer_the_ids_are_bytes_and_a_note_says_so() -> None:
    seen = attention(gpt(), "to be")
    size = LETTERS.size
    note = f"the ids are the bytes of the text, modulo the {size} that the model knows: "
    assert seen.labels == tuple("to be")
    assert seen.notes == (note + "the model has no tokenizer; tokenizer=… gives it one",)
    ids = torch.tensor([[one % size for one in b"to be"]])
    assert torch.equal(seen.weights[1], attention(gpt(), ids).weights[1])
    assert attention(gpt(), 3 * TEXT).labels == tuple(TEXT[-10:])


def test_a_text_for_a_layer_of_vectors_gives_each_letter_one_and_draws_nothing_of_the_readers() -> None:
    model = Heads()
    torch.manual_seed(5)
    before = torch.get_rng_state()
    seen = attention(model, "abba")
    assert torch.equal(before, torch.get_rng_state())
    assert seen.labels == tuple("abba") and seen.notes[0].startswith("the model takes vectors: ")
    assert torch.allclose(seen.weights[0][..., 0], seen.weights[0][..., 3])


def test_what_the_reader_gives_beside_a_text_is_passed_on() -> None:
    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table, self.head = nn.Embedding(9, 6), Head()

        def forward(self, ids: Tensor, scale: float) -> Tensor:
            return self.head(scale * self.table(ids))

    model = Masked()
    ids = torch.tensor([[one % 9 for one in b"abc"]])
    right = attention(model, ids, 2.0).weights[0]
    assert torch.equal(attention(model, "abc", 2.0).weights[0], right)
    assert torch.equal(attention(model, "abc", scale=2.0).weights[0], right)


def test_a_model_of_load_gpt2_has_the_tokenizer_of_its_folder(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    regard.save_gpt2(gpt(), tmp_path)
    assert "the model has no tokenizer" in attention(regard.load_gpt2(tmp_path), "to be").notes[0]
    (tmp_path / OWN).write_text(LETTERS.to_json())
    seen = attention(regard.load_gpt2(tmp_path), "to be")
    right = attention(gpt(), "to be", tokenizer=LETTERS)
    assert not seen.notes and seen.labels == tuple("to be")
    assert torch.allclose(seen.weights[1], right.weights[1])


class Head(nn.Module):
    """One head, as courses write it: each a module of its own."""

    def __init__(self, width: int = 3) -> None:
        super().__init__()
        self.key, self.query, self.value = (nn.Linear(6, width) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        return (self.query(x) @ self.key(x).mT).softmax(-1) @ self.value(x)


class Heads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.heads = nn.ModuleList(Head() for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([head(x) for head in self.heads], -1)


def test_heads_that_are_modules_of_a_list_are_one_layer_and_layers_are_not() -> None:
    seen = attention(nn.Sequential(Heads(), Heads()), torch.randn(1, 4, 6))
    assert [(one.name, one.heads) for one in seen.layers] == [("0.heads", 2), ("1.heads", 2)]

    class Stack(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(Head(6) for _ in range(3))

        def forward(self, x: Tensor) -> Tensor:
            for layer in self.layers:
                x = layer(x)
            return x

    assert [one.heads for one in attention(Stack(), torch.randn(1, 4, 6)).layers] == [1, 1, 1]


def test_a_picture_has_a_grid_of_patches_with_or_without_a_class_token() -> None:
    seen = attention(
        regard.PatchTransformer(regard.Sight(side=8, patch=2, width=8, heads=2, depth=1)),
        torch.rand(1, 1, 8, 8),
    )
    assert seen.grid == (4, 4) and seen.picture is not None

    class Class(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.attend = nn.Conv2d(3, 8, 2, 2), nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, x: Tensor) -> Tensor:
            x = self.embed(x).flatten(2).mT
            x = torch.cat([x.mean(1, keepdim=True), x], 1)
            return self.attend(x, x, x)[0]

    seen = attention(Class(), torch.rand(2, 3, 4, 8))
    assert seen.grid == (2, 4) and seen.weights[0].shape == (2, 2, 9, 9)


def test_a_graph_has_weights_by_edge() -> None:
    edges = regard.Edges(torch.arange(6), (torch.arange(6) + 1) % 6, nodes=6).with_loops()
    seen = regard.attention(regard.GAT(4, 8, 3, heads=2), torch.randn(6, 4), edges)
    assert [one.weights.shape for one in seen.layers] == [(1, 2, 12), (1, 1, 12)]
    assert seen.layers[0].edges is edges


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_model_of_transformers_gives_what_it_says_itself() -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=8, vocab_size=20
    )
    ids = torch.tensor([[1, 2, 3, 4]])
    for kind in ("sdpa", "eager"):
        torch.manual_seed(0)
        model = transformers.BertModel(config)
        model.set_attn_implementation("eager")
        right = model.eval()(ids, output_attentions=True).attentions
        model.set_attn_implementation(kind)
        seen = attention(model, ids)
        assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(seen.weights, right, strict=True))


@pytest.mark.parametrize(
    ("call", "what", "got"),
    [
        (lambda: attention(nn.Linear(2, 2), torch.zeros(1, 2)), "no attention was seen in this model", "Linear"),
        (lambda: attention(nn.Linear, torch.zeros(1, 2)), "attention looks into an nn.Module", "<class 'torch.nn.modules.linear.Linear'>"),
        (lambda: attention("gpt2", "x"), "attention looks into an nn.Module", "'gpt2'"),
        (lambda: attention(gpt()), "there is nothing to look at", "no input"),
        (lambda: attention(gpt(), "to be", tokenizer=3), "a text needs a tokenizer", "3"),
        (lambda: attention(gpt(), "to be", tokenizer=Encoder), "a text needs a tokenizer", f"{Encoder}"),
        (lambda: attention(gpt(), "to be", tokenizer=str.split), "a tokenizer gives whole numbers, one for each token", "['to', 'be']"),
        (lambda: attention(gpt(), ""), "the text is empty", "''"),
        (lambda: attention(gpt(), "", tokenizer=LETTERS), "the text is empty", "''"),
    ],
)  # fmt: skip
def test_what_cannot_be_looked_at_is_told(call, what: str, got: str) -> None:
    with pytest.raises(RegardError) as error:
        call()
    assert (error.value.what, error.value.got) == (what, got) and error.value.fix
    assert what != "no attention was seen in this model" or error.value.fix == UNSEEN


def test_samples_are_counted_where_the_input_has_them() -> None:
    ids, states, nodes = torch.zeros(3, 4, dtype=torch.long), torch.zeros(3, 4, 2), torch.zeros(3, 4)
    assert [batch([x]) for x in (ids, states, nodes)] == [3, 3, 1]
    assert batch([nodes, torch.zeros(2, 5, dtype=torch.long)]) == 1
