"""Gaussian mixtures over the places of Europe, or over points of one's own, by gradient descent and by EM."""
