"""Graph attention layer (GAT): contract, known mistakes, weights."""
