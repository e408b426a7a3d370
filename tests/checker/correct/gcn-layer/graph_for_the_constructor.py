# contract: gcn-layer
# target: GCN_layer
import torch
import torch.nn as nn

def normalized_laplacian(A):
    A = A + torch.eye(A.shape[0], dtype=A.dtype)
    d = A.sum(1)
    return A / torch.sqrt(d[:, None] * d[None, :])

class GCN_layer(nn.Module):
    """the graph is fixed: it comes as an argument of the constructor"""
    def __init__(self, A, in_feats, out_feats):
        super().__init__()
        self.register_buffer('A_hat', normalized_laplacian(A))
        self.fc = nn.Linear(in_feats, out_feats)

    def forward(self, X):
        return self.fc(self.A_hat @ X)
