"""Bringing a document in the store up to its chunks."""
