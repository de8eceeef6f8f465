"""`ContextRetrievalChunker`, and the notes that a model writes to situate a chunk in its document."""
