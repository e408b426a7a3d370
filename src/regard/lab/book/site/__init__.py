"""The book as a site: pages, their layout and navigation, and the files they are written to."""
