"""Facts about the chunks of one document: sizes, cuts, and the settings that made them."""
