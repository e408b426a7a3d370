"""Experiments on attention itself."""
