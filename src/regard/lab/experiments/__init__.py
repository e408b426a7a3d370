"""One file an experiment; the folder is the registry."""
