# contract: causal-attention
# cause: mask-missing
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, attention_dropout: float = 0.0) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.attention_dropout = attention_dropout
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.v_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        shape = (*hidden_states.shape[:-1], self.num_heads, self.head_dim)
        q = self.q_proj(hidden_states).view(shape).transpose(1, 2)
        k = self.k_proj(hidden_states).view(shape).transpose(1, 2)
        v = self.v_proj(hidden_states).view(shape).transpose(1, 2)
        dropout = self.attention_dropout if self.training else 0.0
        y = scaled_dot_product_attention(q, k, v, dropout_p=dropout)
        return self.o_proj(y.transpose(1, 2).flatten(2))
