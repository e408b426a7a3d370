"""Whose score is this scrap of 50 notes? A network over notes and five relations."""
