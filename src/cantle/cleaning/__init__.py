"""What is taken out of a text before it is cut, with the way back to the positions of the original."""

from __future__ import annotations

from .cleaned import Cleaned
from .markdown import clean_markdown, clean_text
from .pdf import clean_pdf
from .streamed import CleanedReader

__all__ = ["Cleaned", "CleanedReader", "clean_markdown", "clean_pdf", "clean_text"]
