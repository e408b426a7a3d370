"""Model work in a process of its own: the server loads no torch, and can end what takes too long."""
