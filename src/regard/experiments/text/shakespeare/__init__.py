"""Two small GPTs learn Shakespeare, character by character."""
