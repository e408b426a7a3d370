# contract: multi-head-attention
import torch
from torch import nn


class PickingAttention(nn.Module):
    """Each sample by itself, over the keys that its row of the mask keeps; the mask is (batch, keys)."""

    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim) for _ in range(4))

    def _parts(self, x):
        return x.view(len(x), self.heads, -1).transpose(0, 1)

    def forward(self, query, key, value, mask=None):
        found = []
        for sample in range(len(query)):
            k, v = key[sample], value[sample]
            if mask is not None:
                k, v = k[mask[sample]], v[mask[sample]]
            q, k, v = self._parts(self.wq(query[sample])), self._parts(self.wk(k)), self._parts(self.wv(v))
            shares = torch.softmax(q @ k.transpose(1, 2) / q.shape[-1] ** 0.5, dim=-1)
            found.append((shares @ v).transpose(0, 1).flatten(1))
        return self.wo(torch.stack(found))
