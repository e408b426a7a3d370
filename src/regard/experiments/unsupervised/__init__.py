"""Experiments without labels: autoencoders, PCA, mixtures."""
