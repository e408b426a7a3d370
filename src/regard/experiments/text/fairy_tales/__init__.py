"""How much of a book a GPT learns by heart, and what dropout does to its samples."""
