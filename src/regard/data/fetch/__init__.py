"""Where data comes from: the catalogue, downloads, package indexes, archives."""
