"""Data sets, ready for a model."""
