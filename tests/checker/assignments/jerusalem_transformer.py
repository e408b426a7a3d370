"""A GPT of letters; CausalSelfAttention is to be filled in."""

import math

import torch
import torch.nn as nn
from dataset import DataHandler
from torch.nn import functional as F
from torch.utils.data import DataLoader
from tqdm import tqdm


class NewGELU(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class CausalSelfAttention(nn.Module):
    def __init__(self, n_head, n_embd, block_size):
        super().__init__()
        self.n_head, self.n_embd = n_head, n_embd
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        # 0 where a token may look, minus infinity above the diagonal
        self.register_buffer("bias", torch.triu(torch.full((block_size, block_size), float("-inf")), diagonal=1))

    def forward(self, x):
        B, T, C = x.size()
        heads = (B, T, self.n_head, C // self.n_head)
        q, k, v = (part.view(heads).transpose(1, 2) for part in self.c_attn(x).split(self.n_embd, dim=2))
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1)) + self.bias[:T, :T]
        y = F.softmax(scores, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, n_head, n_embd, block_size):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention(n_head, n_embd, block_size)
        self.mlpf = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), NewGELU(), nn.Linear(4 * n_embd, n_embd))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlpf(self.ln_2(x))


def train_model(train_path, test_path=None, model=None, block_size=10, batch_size=128, epochs=10):
    data_handler = DataHandler(train_path, test_path, block_size)
    loader = DataLoader(data_handler.get_dataset("train"), batch_size=batch_size, num_workers=4)
    for _ in range(epochs):
        for batch in tqdm(loader):
            model(batch)


if __name__ == "__main__":
    torch.manual_seed(42)
    train_model("train_shakespeare.txt", "test_shakespeare.txt", "gpt", 10)
