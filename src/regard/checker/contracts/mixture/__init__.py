"""Gaussian mixture and EM: contract, known mistakes, reference."""
