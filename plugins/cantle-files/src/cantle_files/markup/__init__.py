"""Markdown, written block by block; HTML as Markdown."""
