"""Documents from files that are no text."""
