# contract: causal-attention
# cause: mask-inverted
import torch
import torch.nn as nn


class MHAPyTorchSDPA(nn.Module):
    def __init__(self, d_in, num_heads, context_length, dropout=0.0, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.context_length = context_length
        self.head_dim = d_in // num_heads
        self.qkv = nn.Linear(d_in, 3 * d_in, bias=qkv_bias)
        self.proj = nn.Linear(d_in, d_in)
        self.dropout = dropout
        self.register_buffer(
            "mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()
        )

    def forward(self, x):
        batch_size, num_tokens, embed_dim = x.shape
        qkv = self.qkv(x).view(batch_size, num_tokens, 3, self.num_heads, self.head_dim)
        queries, keys, values = qkv.permute(2, 0, 3, 1, 4)
        attn_mask = self.mask[:num_tokens, :num_tokens]
        use_dropout = self.dropout if self.training else 0.0
        context = nn.functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=attn_mask, dropout_p=use_dropout
        )
        context = context.transpose(1, 2).contiguous().view(batch_size, num_tokens, embed_dim)
        return self.proj(context)
