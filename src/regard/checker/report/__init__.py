"""What the checker says: the verdict, in a terminal, as a page."""
