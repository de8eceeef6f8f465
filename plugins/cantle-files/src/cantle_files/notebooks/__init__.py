"""Jupyter notebooks, and their strategy."""
