# contract: gat-layer
import torch
import torch.nn as nn
import torch.nn.functional as F


class GAT(nn.Module):
    def __init__(self, inputs, outputs, heads=2):
        super().__init__()
        self.Ws = nn.ModuleList(nn.Linear(inputs, outputs, bias=False) for _ in range(heads))
        self.As = nn.ModuleList(nn.Linear(2 * outputs, 1, bias=False) for _ in range(heads))

    def one_head(self, W, A, x, edge_index):
        h = W(x)
        rows = []
        for i in range(len(x)):
            js = edge_index[0][edge_index[1] == i]
            if js.numel() == 0:
                rows.append(torch.zeros_like(h[i]))
                continue
            pair = torch.cat([h[i].expand(len(js), -1), h[js]], dim=1)
            w = F.softmax(F.leaky_relu(A(pair).squeeze(1), 0.2), dim=0)
            rows.append(w @ h[js])
        return torch.stack(rows)

    def forward(self, x, edge_index):
        return torch.cat([self.one_head(W, A, x, edge_index) for W, A in zip(self.Ws, self.As)], dim=1)
