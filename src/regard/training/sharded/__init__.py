"""Sharded training (FSDP2): each process holds a part of the model and writes a part of a checkpoint."""
