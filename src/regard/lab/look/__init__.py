"""Looking into a model: its attention weights as maps, in a notebook, a picture, a page, the terminal."""
