"""Walks, Laplacians, message passing and attention on graphs small enough for paper."""
