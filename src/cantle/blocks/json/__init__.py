"""JSON as positions: what is where, in a compact copy of the document. Its values are not kept.

`read(text)` checks the whole text (`check`: here values are made, and let go), takes the white space out and says
where every member and item begins and ends, and where each character stands in the source. Of a subtree only its two
ends are looked at until somebody asks what is in it. No step of ours is recursive.
"""

from __future__ import annotations

from .strings import written
from .tree import Tree, read

__all__ = ["Tree", "read", "written"]
