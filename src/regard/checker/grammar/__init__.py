"""Grammar of mistakes: a reference as a short program of named steps, and the edits that make wrong programs of it."""
