"""Normalisation: LayerNorm and RMSNorm; what they share."""
