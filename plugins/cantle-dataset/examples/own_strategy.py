"""A strategy of the script itself, on the workers of Ray."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import ray

from cantle import Chunk, Source
from cantle_dataset import chunk_dataset


@dataclass(frozen=True, kw_only=True)
class Verses:
    """A chunk for each line that is not blank."""

    name: ClassVar[str] = "verses"

    def split(self, source: Source) -> Iterator[Chunk]:
        """Yield the lines."""
        start = 0
        for line in source.text.splitlines(keepends=True):
            if line.strip():
                verse = line.rstrip("\n")
                yield Chunk(verse, start, start + len(verse))
            start += len(line)


ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200_000_000)
poems = ray.data.from_items([{"id": "sea", "text": "Ebb and flow\nFlow and ebb\n"}])
for row in chunk_dataset(poems, Verses(), timeout=60).take_all():
    print(row["chunk_id"][:12], row["text"])
ray.shutdown()
