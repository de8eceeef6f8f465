"""The engine of `ContextRetrievalChunker`: from a cleaned text to the dictionaries of its chunks, as Netuno does."""
