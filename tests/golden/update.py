"""Write the chunks that the documents of `documents/` and `docs/examples` give now, one line of JSON each.

    python tests/golden/update.py

Look at what changed before you commit it: that is what a user's index will see.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cantle import MDocument

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "docs" / "examples"

FIELDS = (
    "start", "end", "prefix", "content", "path", "overlap", "spans", "metadata", "cut", "lines", "key", "embed_hash",
)  # fmt: skip
"""What of a chunk is written down: all but what says the same again."""

CASES: dict[str, tuple[Path, str, dict[str, Any]]] = {
    "harbour-guide": (EXAMPLES / "harbour-guide.md", "markdown", {"max_size": 250}),
    "tide-tables": (EXAMPLES / "tide-tables.md", "markdown", {"max_size": 400, "overlap": 90, "explain": True}),
    "ferry": (EXAMPLES / "ferry.html", "html", {"max_size": 160, "overlap": 40}),
    "handbook": (HERE / "documents" / "handbook.pdf.txt", "pdf", {"max_size": 280, "overlap": 70}),
    "tides": (EXAMPLES / "tides.tex", "latex", {"max_size": 90, "length_function": "cl100k_base", "min_chunk_size": 0}),
}
"""Document, kind and options of each golden file."""


def rows(name: str) -> list[str]:
    """The lines of a golden file as they are now."""
    path, kind, options = CASES[name]
    text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    chunks = MDocument(text, kind, source=path.name).chunk("structural-context", **options)
    found = [{field: row[field] for field in FIELDS} for row in chunks.to_dicts()]
    dropped = [[start, end, reason] for start, end, reason in chunks.dropped]
    return [json.dumps(row, ensure_ascii=False) for row in [*found, {"dropped": dropped}]]


def main() -> None:
    for name in CASES:
        text = "".join(row + "\n" for row in rows(name))
        (HERE / f"{name}.jsonl").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
