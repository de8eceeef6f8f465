"""Pages to look at: the chunks of a document, and those of several strategies beside one another."""
