# contract: gcn-layer
# cause: left-only
import torch
import torch.nn as nn


class GCN(nn.Module):
    def __init__(self, nin, nout):
        super().__init__()
        self.theta = nn.Parameter(torch.randn(nin, nout) * nin**-0.5)
        self.bias = nn.Parameter(torch.zeros(nout))

    def forward(self, X, A):
        A_tilde = ((A + torch.eye(A.shape[0], dtype=A.dtype, device=A.device)) > 0).to(X.dtype)
        D = A_tilde.sum(dim=1)
        H = torch.einsum("ij,jf,fo->io", A_tilde, X, self.theta)
        return torch.diag(D**-0.5) @ H + self.bias
