"""One question, and which chunk sustains its answer."""
