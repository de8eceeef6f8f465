"""JSON read without building its values: what is where, in a compact copy of the document.

`read(text)` checks the whole text, takes the white space out and says where every member and item
begins and ends, and where each character stands in the source. It opens nothing: of a subtree only
its two ends are looked at until somebody asks what is in it. No step is recursive.
"""

from __future__ import annotations

from .strings import written
from .tree import Tree, read

__all__ = ["Tree", "read", "written"]
