# contract: causal-attention
import torch.nn as nn
import torch.nn.functional as F


class Aufmerksamkeitsblöcke(nn.Module):
    """注意力 🤖 ‮ right-to-left"""

    def __init__(self, größe, köpfe):
        super().__init__()
        self.köpfe = köpfe
        self.запрос = nn.Linear(größe, größe)
        self.κλειδί = nn.Linear(größe, größe)
        self.値 = nn.Linear(größe, größe)
        self.出 = nn.Linear(größe, größe)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (f(x).view(b, n, self.köpfe, -1).transpose(1, 2) for f in (self.запрос, self.κλειδί, self.値))
        return self.出(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, n, c))
