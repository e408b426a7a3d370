"""Recorded full runs: what came out where somebody waited for it, and whether it still holds."""
