"""Masks of attention: which arguments hide keys, in what shape and with what meaning, and what must hold with them."""
