"""A LangChain text splitter over every strategy of cantle, with exact offsets."""
