"""A U-Net on slices of a brain, with and without its skips."""
