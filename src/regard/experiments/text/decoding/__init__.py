"""Greedy, beam and exhaustive search, samplers and what they cost."""
