"""Formats: where a document of a kind has its blocks. They know no sizes.

One module (or package) a format; each gives positions in the text as it was given.
"""
