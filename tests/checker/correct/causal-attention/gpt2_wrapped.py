# contract: causal-attention
# needs: transformers
import torch
import torch.nn as nn
from transformers import GPT2Config
from transformers.models.gpt2.modeling_gpt2 import GPT2Attention


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, block_size=64):
        super().__init__()
        config = GPT2Config(n_embd=n_embd, n_head=n_head, n_positions=block_size, attn_pdrop=0.0, resid_pdrop=0.0)
        config._attn_implementation = "eager"
        self.attn = GPT2Attention(config, layer_idx=0)

    def forward(self, x):
        n = x.size(1)
        mask = torch.full((n, n), torch.finfo(x.dtype).min, dtype=x.dtype, device=x.device).triu(1)
        return self.attn(x, attention_mask=mask[None, None])[0]
