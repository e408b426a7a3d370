"""Runs on disk: folders, locks, keys, the index, differences."""
