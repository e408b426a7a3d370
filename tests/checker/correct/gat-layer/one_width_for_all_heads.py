# contract: gat-layer
import torch
from torch import nn, Tensor


class MultiHeadGraphAttention(nn.Module):
    def __init__(self, d_model: int, n_head: int, negative_slope: float = 0.2) -> None:
        super().__init__()
        assert d_model % n_head == 0
        self.h, self.dk = n_head, d_model // n_head
        self.w = nn.Linear(d_model, d_model, bias=False)
        self.a_query = nn.Parameter(torch.empty(n_head, self.dk))
        self.a_key = nn.Parameter(torch.empty(n_head, self.dk))
        nn.init.normal_(self.a_query)
        nn.init.normal_(self.a_key)
        self.slope = negative_slope

    def forward(self, x: Tensor, adj_mask: Tensor) -> Tensor:
        v = self.w(x).unflatten(-1, (self.h, self.dk)).transpose(0, 1)
        q = (v * self.a_query[:, None]).sum(-1, keepdim=True)
        k = (v * self.a_key[:, None]).sum(-1, keepdim=True)
        s = nn.functional.leaky_relu(q + k.mT, self.slope)
        s = s.masked_fill(~adj_mask.bool(), -torch.inf).softmax(-1).nan_to_num()
        return (s @ v).transpose(0, 1).flatten(1)
