"""Documents: what a run, a comparison or attention is, as JSON that a browser shows."""
