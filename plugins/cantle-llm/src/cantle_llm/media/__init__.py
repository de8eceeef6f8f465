"""Pictures and recordings to text, by a model."""
