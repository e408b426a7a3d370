"""The attention operator: import its parts from their own files, or from `regard`."""
