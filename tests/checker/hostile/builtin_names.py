# contract: causal-attention
import torch
import torch.nn as nn
import torch.nn.functional as F


class object(nn.Module):
    def __init__(self, int, str):
        super().__init__()
        self.str = str
        self.list = nn.Linear(int, 3 * int)
        self.dict = nn.Linear(int, int)

    def forward(self, input):
        b, n, c = input.shape
        q, k, v = (t.view(b, n, self.str, -1).transpose(1, 2) for t in self.list(input).chunk(3, -1))
        return self.dict(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, n, c))


type = len = None
