"""Extractors of metadata that ask a model: title, summary, keywords, questions, schema."""
