# contract: gat-layer
import torch
import torch.nn as nn


class GATLayer(nn.Module):
    """Attention over edges given as (E, 2) pairs, each (source, target)."""

    def __init__(self, input_dim, output_dim, num_heads=1, use_bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.output_dim = output_dim
        self.kernel = nn.Parameter(torch.empty(input_dim, num_heads * output_dim))
        self.kernel_attention = nn.Parameter(torch.empty(num_heads, 2 * output_dim))
        nn.init.xavier_uniform_(self.kernel)
        nn.init.xavier_uniform_(self.kernel_attention)
        if use_bias:
            self.bias = nn.Parameter(torch.zeros(num_heads * output_dim))
        else:
            self.register_parameter("bias", None)

    def forward(self, node_states, edges):
        n = node_states.shape[0]
        h = torch.matmul(node_states, self.kernel).view(n, self.num_heads, self.output_dim)
        source, target = edges[:, 0], edges[:, 1]
        pair = torch.cat((h[target], h[source]), dim=2)
        scores = torch.einsum("ehc,hc->eh", pair, self.kernel_attention)
        scores = nn.functional.leaky_relu(scores, negative_slope=0.2)
        out = []
        for node in range(n):
            mine = (target == node).nonzero().flatten()
            weights = torch.softmax(scores[mine], dim=0)
            out.append((weights.unsqueeze(-1) * h[source[mine]]).sum(dim=0))
        out = torch.stack(out).reshape(n, -1)
        return out if self.bias is None else out + self.bias
