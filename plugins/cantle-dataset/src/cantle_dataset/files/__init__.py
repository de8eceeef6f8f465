"""Files of a dataset: found, read piece by piece, written in parts, moved to their place."""
