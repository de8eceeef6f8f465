"""The documents, who may see them, and their chunks."""
