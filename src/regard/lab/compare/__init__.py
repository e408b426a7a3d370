"""Two layers, or two settings, in the same small model: which is better, by how much, and how sure."""
