"""Documentation of the site: guides, the reference of the public names, the pages of the checker."""
