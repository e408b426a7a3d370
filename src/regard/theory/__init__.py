"""Theorems that run: each with its derivation, the numbers that test it, and what breaks it."""
