# contract: causal-attention
import torch
import torch.nn as nn


class SlowCausalAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, x):
        Q, K, V = self.query(x), self.key(x), self.value(x)
        d = Q.shape[-1] // self.num_heads
        heads = []
        for h in range(self.num_heads):
            q, k, v = (t[:, :, h * d : (h + 1) * d] for t in (Q, K, V))
            rows = []
            for i in range(x.shape[1]):
                s = (k[:, : i + 1] @ q[:, i].unsqueeze(-1)).squeeze(-1) / d ** 0.5
                a = torch.softmax(s, dim=-1)
                rows.append((a.unsqueeze(1) @ v[:, : i + 1]).squeeze(1))
            heads.append(torch.stack(rows, dim=1))
        return self.output(torch.cat(heads, dim=-1))
