# contract: multi-head-attention
# cause: heads-split-view,scale-width
import torch
import torch.nn as nn
import torch.nn.functional as F


class Multi_Head_Attention(nn.Module):
    def __init__(self, dim_model, num_head, dropout=0.0):
        super(Multi_Head_Attention, self).__init__()
        self.num_head = num_head
        self.dim_model = dim_model
        self.dim_head = dim_model // num_head
        self.fc_Q = nn.Linear(dim_model, dim_model)
        self.fc_K = nn.Linear(dim_model, dim_model)
        self.fc_V = nn.Linear(dim_model, dim_model)
        self.fc = nn.Linear(dim_model, dim_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        batch_size = query.size(0)
        Q = self.fc_Q(query).view(batch_size, self.num_head, -1, self.dim_head)
        K = self.fc_K(key).view(batch_size, self.num_head, -1, self.dim_head)
        V = self.fc_V(value).view(batch_size, self.num_head, -1, self.dim_head)
        scale = self.dim_model**-0.5
        att = torch.matmul(Q, K.permute(0, 1, 3, 2)) * scale
        if mask is not None:
            att = att.masked_fill(~mask[:, None, None, :], -1e9)
        att = F.softmax(att, dim=-1)
        context = torch.matmul(att, V)
        context = context.transpose(1, 2).reshape(batch_size, -1, self.dim_model)
        return self.dropout(self.fc(context))
