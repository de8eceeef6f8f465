"""A Haystack document splitter over every strategy of cantle, with exact offsets."""
