"""Caches and flash attention against the plain computation, in value, time and memory."""
