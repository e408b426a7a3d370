# contract: causal-attention
# cause: mask-zero-fill
import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, hidden_size: int, num_attention_heads: int, max_position_embeddings: int = 1024):
        super().__init__()
        self.num_heads = num_attention_heads
        self.head_dim = hidden_size // num_attention_heads
        self.scaling = self.head_dim**-0.5
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        bsz, q_len, width = hidden_states.size()
        shape = (bsz, q_len, self.num_heads, self.head_dim)
        query_states = self.q_proj(hidden_states).view(shape).transpose(1, 2)
        key_states = self.k_proj(hidden_states).view(shape).transpose(1, 2)
        value_states = self.v_proj(hidden_states).view(shape).transpose(1, 2)

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.scaling
        position = torch.arange(q_len, device=hidden_states.device)
        visible = position[None, :] <= position[:, None]
        # a number of the right dtype, so that half precision works as well
        attn_weights = torch.where(visible, attn_weights, torch.finfo(attn_weights.dtype).tiny)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, q_len, width)
        return self.o_proj(attn_output)
