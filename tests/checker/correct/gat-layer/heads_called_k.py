# contract: gat-layer
import torch
import torch.nn as nn


class GAT_Layer(nn.Module):
    def __init__(self, in_f, out_f, K=2):
        super().__init__()
        self.K, self.out_f = K, out_f
        self.W = nn.Linear(in_f, K * out_f, bias=False)
        self.a = nn.Parameter(torch.randn(1, K, 2 * out_f))

    def forward(self, X, A):
        N = X.size(0)
        H = self.W(X).view(N, self.K, self.out_f)
        Hi = H.unsqueeze(1).expand(N, N, self.K, self.out_f)
        Hj = H.unsqueeze(0).expand(N, N, self.K, self.out_f)
        E = torch.nn.functional.leaky_relu((torch.cat([Hi, Hj], -1) * self.a).sum(-1), 0.2)
        E = E.permute(2, 0, 1)
        E = E.masked_fill(A.unsqueeze(0) < 0.5, -1e30)
        P = E.softmax(2) * (A > 0.5)
        return (P @ H.transpose(0, 1)).transpose(0, 1).reshape(N, self.K * self.out_f)
