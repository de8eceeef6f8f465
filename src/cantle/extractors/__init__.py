"""Metadata that is extracted without a model, in the form of a plugin."""
