"""`regard check --fix`: the smallest change of a person's own lines that makes the check pass."""
