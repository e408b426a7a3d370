# contract: causal-attention
# cause: bias-dropped
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalAttn(nn.Module):
    def __init__(self, n_embd: int, n_head: int, block_size: int):
        super().__init__()
        self.n_head = n_head
        self.weight_qkv = nn.Parameter(torch.empty(3 * n_embd, n_embd))
        self.bias_qkv = nn.Parameter(torch.zeros(3 * n_embd))
        self.weight_out = nn.Parameter(torch.empty(n_embd, n_embd))
        self.bias_out = nn.Parameter(torch.zeros(n_embd))
        nn.init.normal_(self.weight_qkv, std=0.02)
        nn.init.normal_(self.weight_out, std=0.02)
        self.register_buffer(
            "hide",
            torch.zeros(block_size, block_size).masked_fill(
                torch.ones(block_size, block_size).triu(1) == 1, float("-inf")
            ),
        )

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = F.linear(x, self.weight_qkv, self.bias_qkv).split(C, -1)
        shp = (B, T, self.n_head, C // self.n_head)
        q, k, v = q.view(shp).transpose(1, 2), k.view(shp).transpose(1, 2), v.view(shp).transpose(1, 2)
        s = q @ k.transpose(-2, -1) / (C // self.n_head) ** 0.5 + self.hide[:T, :T]
        y = (F.softmax(s, -1) @ v).transpose(1, 2).contiguous().view(B, T, C)
        return F.linear(y, self.weight_out)
