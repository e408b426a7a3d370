"""One file per result; each defines THEOREM."""
