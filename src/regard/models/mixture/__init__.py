"""Mixture models and their EM."""
