# contract: multi-head-attention
# cause: heads-split-view
import torch
import torch.nn as nn
import torch.nn.functional as F


class Multi_Head_Attention(nn.Module):
    def __init__(self, dim_model, num_head, dropout=0.0):
        super().__init__()
        self.num_head = num_head
        self.dim_head = dim_model // num_head
        self.fc_Q = nn.Linear(dim_model, dim_model)
        self.fc_K = nn.Linear(dim_model, dim_model)
        self.fc_V = nn.Linear(dim_model, dim_model)
        self.fc = nn.Linear(dim_model, dim_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        b, n, c = x.shape
        Q = self.fc_Q(x).view(b, self.num_head, n, self.dim_head)
        K = self.fc_K(x).view(b, self.num_head, n, self.dim_head)
        V = self.fc_V(x).view(b, self.num_head, n, self.dim_head)
        att = F.softmax(Q @ K.transpose(-1, -2) * self.dim_head**-0.5, dim=-1)
        context = (att @ V).transpose(1, 2).reshape(b, n, c)
        return self.dropout(self.fc(context))
