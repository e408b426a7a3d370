"""What is right, in plain float64 and small steps; written for the checker alone, so that it judges with its own eyes."""
