"""Rotary position embedding: contract, known mistakes, reference."""
