"""A LlamaIndex node parser over every strategy of cantle, with exact offsets."""
