# contract: causal-attention
import torch, torch.nn as nn


class SelfAttention(nn.Module):
    """Masked (causal) self attention, options in a dict."""

    def __init__(self, cfg):
        super().__init__()
        assert cfg["emb_dim"] % cfg["n_heads"] == 0
        self.h = cfg["n_heads"]
        self.W_query = nn.Linear(cfg["emb_dim"], cfg["emb_dim"], bias=cfg["qkv_bias"])
        self.W_key = nn.Linear(cfg["emb_dim"], cfg["emb_dim"], bias=cfg["qkv_bias"])
        self.W_value = nn.Linear(cfg["emb_dim"], cfg["emb_dim"], bias=cfg["qkv_bias"])
        self.out_proj = nn.Linear(cfg["emb_dim"], cfg["emb_dim"])
        self.dropout = nn.Dropout(cfg.get("drop_rate", 0.0))
        self.register_buffer(
            "mask", torch.triu(torch.ones(cfg["context_length"], cfg["context_length"]), diagonal=1).bool()
        )

    def forward(self, x):
        b, t, c = x.shape
        k = self.W_key(x).view(b, t, self.h, -1).transpose(1, 2)
        q = self.W_query(x).view(b, t, self.h, -1).transpose(1, 2)
        v = self.W_value(x).view(b, t, self.h, -1).transpose(1, 2)
        s = q @ k.transpose(2, 3)
        s.masked_fill_(self.mask[:t, :t], -torch.inf)
        w = self.dropout(torch.softmax(s / k.shape[-1] ** 0.5, dim=-1))
        return self.out_proj((w @ v).transpose(1, 2).contiguous().view(b, t, c))
