"""For adapters to other frameworks: their texts as documents, and chunks in their metadata and back again.

A framework has a type of its own for a piece of text with metadata. An adapter hands such texts to a `Cutter`, writes
each chunk with `pack` into the metadata of a new one, and gets it back with `unpack`, whatever frameworks it went
through.
"""

from .cutter import KIND, Cutter
from .records import PATH, RECORD, Keys, key_uuid, pack, unpack

__all__ = ["KIND", "PATH", "RECORD", "Cutter", "Keys", "key_uuid", "pack", "unpack"]
