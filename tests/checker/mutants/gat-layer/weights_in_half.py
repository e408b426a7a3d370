# contract: gat-layer
# cause: rounded-inside
import math
import torch
import torch.nn as nn


class GraphAttentionLayer(nn.Module):
    """Each head has its own W and a; heads side by side. Weights kept in one big tensor each."""

    def __init__(self, feat_in, feat_out, nb_heads):
        super().__init__()
        self.Ws = nn.Parameter(torch.empty(nb_heads, feat_in, feat_out).uniform_(-1, 1) / math.sqrt(feat_in))
        self.As = nn.Parameter(torch.empty(nb_heads, 2 * feat_out).uniform_(-1, 1))

    def forward(self, X, Adj):
        outs = []
        for W, a in zip(self.Ws, self.As):
            H = X @ W
            d = H.shape[1]
            S = torch.outer(H @ a[:d], torch.ones(len(H), dtype=H.dtype)) + torch.outer(
                torch.ones(len(H), dtype=H.dtype), H @ a[d:]
            )
            S = torch.maximum(S, 0.2 * S)
            S = S + (Adj == 0) * -6e4
            P = torch.softmax(S.half(), 1).to(S.dtype)
            outs.append(P @ H)
        return torch.hstack(outs)
