# contract: scaled-dot-product
import torch

def slow_attention(Q, K, V, mask=None):
    """One sequence: Q (n, d), K (m, d), V (m, c)."""
    rows = []
    for i in range(Q.shape[0]):
        s = torch.stack([torch.dot(Q[i], K[j]) for j in range(K.shape[0])]) / Q.shape[1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask[i].bool(), -float("inf"))
        w = torch.softmax(s, dim=0)
        rows.append(sum(w[j] * V[j] for j in range(K.shape[0])))
    return torch.stack(rows)
