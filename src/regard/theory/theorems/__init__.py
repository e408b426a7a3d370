"""One file per theorem; each defines THEOREM."""
