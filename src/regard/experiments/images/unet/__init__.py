"""A U-Net on slices of a brain and on textures, with and without its skips."""
