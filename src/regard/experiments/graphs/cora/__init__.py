"""Graph convolution and graph attention on the papers of Cora."""
