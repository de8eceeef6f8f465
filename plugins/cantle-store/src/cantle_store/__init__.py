"""A place to keep chunks."""
