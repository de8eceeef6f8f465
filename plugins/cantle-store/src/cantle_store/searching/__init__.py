"""Finding chunks: by vector, by words, or by both, among what may be seen."""
