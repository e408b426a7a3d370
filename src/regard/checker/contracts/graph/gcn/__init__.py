"""Graph convolution layer (GCN): contract, known mistakes."""
