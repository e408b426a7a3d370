# contract: multi-head-attention
# cause: heads-split-view
import torch
import torch.nn as nn


class Multi_Head_Attention(nn.Module):
    def __init__(self, dim_model, num_head):
        super().__init__()
        self.num_head = num_head
        self.dim_head = dim_model // num_head
        self.fc_Q = nn.Linear(dim_model, dim_model)
        self.fc_K = nn.Linear(dim_model, dim_model)
        self.fc_V = nn.Linear(dim_model, dim_model)
        self.fc = nn.Linear(dim_model, dim_model)

    def forward(self, query, key, value, mask=None):
        batch = query.size(0)
        Q = self.fc_Q(query).view(batch, self.num_head, -1, self.dim_head)
        K = self.fc_K(key).view(batch, self.num_head, -1, self.dim_head)
        V = self.fc_V(value).view(batch, self.num_head, -1, self.dim_head)
        attention = torch.matmul(Q, K.transpose(-1, -2)) * self.dim_head**-0.5
        if mask is not None:
            attention = attention.masked_fill(~mask[:, None, None, :], -1e9)
        attention = torch.softmax(attention, dim=-1)
        context = torch.matmul(attention, V).transpose(1, 2).reshape(batch, -1, self.num_head * self.dim_head)
        return self.fc(context)
