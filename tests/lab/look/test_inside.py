"""Making, feeding and looking into what people write, here without the process around it."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from regard.errors import RegardError
from regard.lab.look.inside import Looking

HEAD = """
import math
import torch
import torch.nn.functional as F
from torch import nn
from dataclasses import dataclass

"""
FILES = {
    "fused with a config": ("""
class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads, self.mix = config.n_head, nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
    def forward(self, x):
        q, k, v = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in self.mix(x).chunk(3, -1))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)

class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(config.vocab_size, config.n_embd), nn.Embedding(config.block_size, config.n_embd)
        self.h = nn.ModuleList([Attention(config) for _ in range(config.n_layer)])
    def forward(self, idx, targets=None):
        x = self.wte(idx) + self.wpe(torch.arange(idx.shape[1]))
        for block in self.h:
            x = x + block(x)
        return x
""", ["h.0", "h.1"], (1, 4, 12, 12)),
    "a config that is a dataclass": ("""
@dataclass
class Config:
    width: int = 6
    heads: int = 3

class Model(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.attention = nn.MultiheadAttention(config.width, config.heads, batch_first=True)
    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]
""", ["attention"], (1, 3, 12, 12)),
    "an object": ("""
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, batch_first=True), 2, enable_nested_tensor=False)
""", ["layers.0.self_attn", "layers.1.self_attn"], (1, 2, 12, 12)),
    "a vision transformer": ("""
class ViT(nn.Module):
    def __init__(self, image_size=32, patch_size=8, dim=12):
        super().__init__()
        self.embed = nn.Conv2d(3, dim, patch_size, patch_size)
        self.place = nn.Parameter(torch.zeros(1, (image_size // patch_size) ** 2 + 1, dim))
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.attend = nn.MultiheadAttention(dim, 2, batch_first=True)
    def forward(self, img):
        x = self.embed(img).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1) + self.place
        return self.attend(x, x, x)[0][:, 0]
""", ["attend"], (1, 2, 17, 17)),
    "a dense graph attention": ("""
class GATLayer(nn.Module):
    def __init__(self, in_features, out_features, alpha=0.2):
        super().__init__()
        self.W = nn.Parameter(torch.randn(in_features, out_features))
        self.a = nn.Parameter(torch.randn(2 * out_features))
    def forward(self, h, adj):
        h = h @ self.W
        n = len(h)
        e = F.leaky_relu(torch.cat([h[:, None].expand(-1, n, -1), h[None].expand(n, -1, -1)], -1) @ self.a)
        return torch.where(adj > 0, e, torch.tensor(-9e15)).softmax(1) @ h
""", ["GATLayer"], (1, 1, 8, 8)),
    "a sparse graph attention": ("""
class GATLayer(nn.Module):
    def __init__(self, in_features, out_features, heads=2):
        super().__init__()
        self.h, self.c, self.W = heads, out_features, nn.Linear(in_features, heads * out_features)
        self.a_src = nn.Parameter(torch.randn(heads, out_features))
        self.a_dst = nn.Parameter(torch.randn(heads, out_features))
    def forward(self, x, edge_index):
        n, (src, dst) = len(x), edge_index
        z = self.W(x).view(n, self.h, self.c)
        e = F.leaky_relu((self.a_src * z[src]).sum(-1) + (self.a_dst * z[dst]).sum(-1))
        e = (e - e.max()).exp()
        alpha = e / torch.zeros(n, self.h).index_add_(0, dst, e)[dst]
        return torch.zeros(n, self.h, self.c).index_add_(0, dst, alpha[..., None] * z[src])
""", ["GATLayer"], (1, 2, 16)),
    "a net around ours": ("""
import regard
class Net(nn.Module):
    def __init__(self, in_features=8, hidden=4, classes=3):
        super().__init__()
        self.gat = regard.GAT(in_features, hidden, classes)
    def forward(self, x, edge_index):
        return self.gat(x, edge_index)
""", ["gat.first", "gat.second"], (1, 8, 16)),
    "an encoder-decoder": ("""
class Seq2Seq(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model=8):
        super().__init__()
        self.a, self.b = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
    def forward(self, src, tgt):
        x, y = self.a(src), self.b(tgt)
        return (y @ x.transpose(1, 2)).softmax(-1) @ x
""", ["Seq2Seq"], (1, 1, 12, 12)),
    "one of torch_geometric's": ("""
from torch_geometric.nn import GATConv
class Net(nn.Module):
    def __init__(self, in_channels, hidden=4):
        super().__init__()
        self.conv = GATConv(in_channels, hidden, heads=3)
    def forward(self, x, edge_index):
        return self.conv(x, edge_index)
""", ["conv"], (1, 3, 24)),
    "queries, keys and values": ("""
class Layer(nn.MultiheadAttention):
    def __init__(self):
        super().__init__(6, 2, batch_first=True)
""", ["Layer"], (1, 2, 12, 12)),
    "an example of its own": ("""
class Cross(nn.Module):
    def forward(self, asking, told):
        return (asking @ told.transpose(-2, -1)).softmax(-1) @ told

def example():
    return torch.randn(1, 3, 5), torch.randn(1, 7, 5)
""", ["Cross"], (1, 1, 3, 7)),
}  # fmt: skip


SEES = """
class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.cut = nn.Conv2d(3, 8, 8, 8)
        self.place = nn.Parameter(torch.zeros(16, 8))
        self.inner = nn.MultiheadAttention(8, 2, batch_first=True)
    def forward(self, x):
        x = self.cut(x).flatten(2).mT + self.place
        return self.inner(x, x, x)[0]
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("given", "what", "got", "word"),
    [
        (("hello", None), "the model does not take a text", "to have 3 channels", "--prompt"),
        (
            (None, [1, 3, 64, 64]),
            "the model does not take numbers of that shape",
            "size of tensor a",
            "--input",
        ),
    ],
)
def test_a_model_that_runs_with_something_else_says_with_what(
    given: tuple, what: str, got: str, word: str, tmp_path: Path, monkeypatch
) -> None:
    inside = looking(tmp_path, monkeypatch, SEES)
    with pytest.raises(RegardError) as error:
        inside.look(None, {}, *given)
    assert error.value.what == what and got in error.value.got
    runs = "it runs when fed with a random picture of 3 channels, 32 by 32"
    assert error.value.fix == f"leave {word} out: {runs}"
    broken = looking(tmp_path, monkeypatch, SEES.replace("+ self.place", "+ self.plaice"))
    with pytest.raises((AttributeError, RuntimeError)):
        broken.look(None, {}, *given)


TWO = """
class First(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.MultiheadAttention(16, 2, batch_first=True)
    def forward(self, x):
        return self.inner(x, x, x)[0]
class Second(First):
    pass
"""


def looking(folder: Path, monkeypatch, text: str) -> Looking:
    monkeypatch.chdir(folder.parent)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_model", raising=False)
    (folder / "own_model.py").write_text(HEAD + text)
    inside = Looking()
    inside.load(str(folder / "own_model.py"))
    monkeypatch.delitem(sys.modules, "own_model")
    return inside


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FILES)
def test_a_model_of_ones_own_is_made_fed_and_seen(name: str, tmp_path: Path, monkeypatch) -> None:
    text, layers, shape = FILES[name]
    found = looking(tmp_path, monkeypatch, text).look(None, {}, None, None)
    assert [one["name"] for one in found["layers"]] == layers
    assert found["layers"][0]["weights"].shape == shape
    if found["layers"][0]["edges"] is None:
        assert np.allclose(found["layers"][0]["weights"].sum(-1), 1.0, atol=1e-5)
    assert (found["grid"] is not None) == (name == "a vision transformer")
    assert found["notes"]


def test_a_text_is_encoded_as_the_file_does_it_or_as_bytes(tmp_path: Path, monkeypatch) -> None:
    text = FILES["fused with a config"][0]
    found = looking(tmp_path, monkeypatch, text).look("GPT", {}, "hé", None)
    assert found["labels"] == ["h", "é₁", "é₂"]
    assert found["notes"] == ["the ids are the bytes of the text: the file has no encode(text)"]
    own = (
        text
        + "\nencode = lambda s: [ord(c) - 97 for c in s]\ndecode = lambda ids: ''.join(chr(97 + i) for i in ids)\n"
    )
    found = looking(tmp_path, monkeypatch, own).look("GPT", {}, "abc", None)
    assert (found["labels"], found["notes"]) == (["a", "b", "c"], ["the text is encoded as the file does it"])
    assert found["layers"][0]["weights"].shape == (1, 4, 3, 3)
    own = text + "\nencode = lambda s: list(s.encode())\ndecode = lambda ids: str(bytes(ids))\n"
    found = looking(tmp_path, monkeypatch, own).look("GPT", {}, "д", None)
    assert found["labels"] == ["д₁", "д₂"], "not the bytes in figures"


def test_of_several_models_the_note_says_which_is_looked_into(tmp_path: Path, monkeypatch) -> None:
    inside = looking(tmp_path, monkeypatch, TWO)
    notes = inside.look(None, {}, None, None)["notes"]
    assert notes[0] == "Second is the last of the file's 2 models; own_model.py:First names another"
    assert not any("models" in note for note in inside.look("Second", {}, None, None)["notes"])


def test_sizes_are_taken_and_those_guessed_are_told(tmp_path: Path, monkeypatch) -> None:
    text = """
class Layer(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.inner = nn.MultiheadAttention(n_embd, n_head, batch_first=True)
    def forward(self, x):
        return self.inner(x, x, x)[0]
"""
    inside = looking(tmp_path, monkeypatch, text)
    found = inside.look("Layer", {"n_head": "8"}, None, [1, 5, 64])
    assert found["layers"][0]["weights"].shape == (1, 8, 5, 5)
    assert found["notes"] == [
        "made with n_embd=64; --set changes it",
        "fed with random numbers of shape (1, 5, 64)",
    ]


def test_a_function_makes_the_model_from_weights_beside_the_file(tmp_path: Path, monkeypatch) -> None:
    torch.save(torch.nn.MultiheadAttention(4, 2, batch_first=True).state_dict(), tmp_path / "weights.pt")
    text = """
def make():
    model = nn.MultiheadAttention(4, 2, batch_first=True)
    model.load_state_dict(torch.load("weights.pt"))
    return model
"""
    found = looking(tmp_path, monkeypatch, text).look("make", {}, None, None)
    assert found["layers"][0]["weights"].shape == (1, 2, 12, 12)


@pytest.mark.parametrize(
    ("text", "words", "what"),
    [
        ("", (None, {}, None, None), "the file defines no model"),
        ("class A(nn.Module): pass", ("B", {}, None, None), "the file defines no model of that name"),
        ("class A(nn.Linear): pass", ("A", {"depth": "3"}, None, None), "A has no argument of that name"),
        ("class A(nn.Module):\n def __init__(self, frobs): super().__init__()", ("A", {}, None, None), "A asks for what nobody can guess"),
        ("def make(): return 3", ("make", {}, None, None), "this makes no nn.Module"),
        ("model = nn.Linear(2, 2)", (None, {"a": "1"}, None, None), "--set has no effect on a model that is made already"),
        ("model = nn.Linear(2, 2)", (None, {}, None, None), "no attention was seen in this model"),
        ("model = nn.Linear(2, 2)", (None, {}, "", None), "the prompt is empty"),
        ("class A(nn.Module):\n def forward(self, x): raise KeyError(3)", (None, {}, None, None), "nobody knows what this model takes"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_or_fed_is_told(
    text: str, words: tuple, what: str, tmp_path: Path, monkeypatch
) -> None:
    inside = looking(tmp_path, monkeypatch, text)
    with pytest.raises(RegardError) as error:
        inside.look(*words)
    assert error.value.what == what and error.value.got and error.value.fix


def test_several_inputs_are_never_told_to_be_said_by_one_shape(tmp_path: Path, monkeypatch) -> None:
    inside = looking(
        tmp_path,
        monkeypatch,
        "class A(nn.Linear):\n def __init__(self): super().__init__(3, 3)\n def forward(self, x, edge_index): raise KeyError(3)",
    )
    with pytest.raises(RegardError) as error:
        inside.look("A", {}, None, None)
    assert error.value.fix == "define example() in the file, which gives a tuple: (x, edge_index)"


def test_a_prompt_that_is_too_long_says_how_much_fits(tmp_path: Path, monkeypatch) -> None:
    inside = looking(tmp_path, monkeypatch, FILES["fused with a config"][0])
    with pytest.raises(RegardError) as error:
        inside.look("GPT", {}, 120 * "a", None)
    assert error.value.got == "120 tokens, of which 64 fit"


def test_what_fits_and_shows_no_attention_is_told_before_what_does_not_fit(
    tmp_path: Path, monkeypatch
) -> None:
    text = "class A(nn.Module):\n def __init__(self):\n  super().__init__(); self.a, self.b = nn.Linear(3, 5), nn.Linear(2, 3)\n def forward(self, x): return self.a(self.b(x))"
    with pytest.raises(RegardError, match="no attention was seen"):
        looking(tmp_path, monkeypatch, text).look("A", {}, None, None)
