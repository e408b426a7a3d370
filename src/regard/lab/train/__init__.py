"""Training on one's own texts: a run like any other, without claims."""
