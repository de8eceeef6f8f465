"""What is said of all chunks of a document: figures, options in force, what is in no chunk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cantle
from cantle import Chunks
from cantle.html_view import escaped

from ..measures.settings import in_force, literal, strategy_name
from ..measures.sizes import Sizes, losses, number, repeated
from .drawing import isolated
from .entries import definitions, outside

__all__ = ["document", "figures", "lost", "options", "settings"]


def figures(chunks: Chunks, sizes: Sizes) -> str:
    """The figures of the whole, as a list of definitions."""
    return "".join(f"<div><dt>{term}</dt><dd>{value}</dd></div>" for term, value in _figures(chunks, sizes))


def _figures(chunks: Chunks, sizes: Sizes) -> Iterator[tuple[str, str]]:
    text = chunks.source.text
    yield "chunks", f"{len(chunks):,}"
    yield "characters", f"{len(text):,}"
    if len(chunks):
        yield "smallest chunk", number(sizes.least)
        yield "median", number(sizes.median)
        yield "mean", number(sizes.mean)
        yield "largest", number(sizes.most)
    if sizes.limit is not None:
        yield f"limit, {escaped(sizes.unit)}", number(sizes.limit)
    if sizes.used is not None:
        yield "of the limit used", f"{sizes.used:.0%}"
    if len(chunks):
        yield "repeated (overlap)", f"{repeated(chunks):.1%}"


def lost(chunks: Chunks) -> str:
    """What is in no chunk, by reason, and what was made anew."""
    found = losses(chunks)
    rows = "".join(
        f'<tr><td>{escaped(reason)}</td><td class="r">{count:,}</td><td class="r">{characters:,}</td></tr>'
        for reason, (count, characters) in found.dropped.items()
    )
    made = sum(not chunk.exact for chunk in chunks)
    said = []
    if rows:
        said.append(
            '<table><caption>Dropped</caption><thead><tr><th>reason</th><th class="r">stretches</th>'
            f'<th class="r">characters</th></tr></thead><tbody>{rows}</tbody></table>'
        )
    else:
        said.append("<p>Nothing but white space is left out.</p>")
    if found.undeclared:
        said.append(
            f'<p class="x">{found.undeclared:,} characters are in no chunk and the strategy gives no reason.</p>'
        )
    if made:
        said.append(
            f"<p>{made:,} of {len(chunks):,} chunks are no literal slice of the document but made of stretches of it. "
            "Their entries show their text as embedded.</p>"
        )
    said += [f'<p class="x">{beyond}</p>' for chunk in chunks if (beyond := outside(chunk, chunks))]
    return "".join(said)


def settings(chunks: Chunks) -> str:
    """Strategy, options, hash of the configuration, version."""
    strategy = chunks.strategy
    rows: dict[str, str] = {}
    if strategy is not None:
        rows["strategy"] = escaped(strategy_name(strategy))
    rows["kind"] = escaped(chunks.source.kind)
    found = chunks.config_hash
    if found:
        rows["configuration"] = f"<code>{escaped(found)}</code>"
    rows["cantle"] = escaped(cantle.__version__)
    listed = "".join(f"<dt>{term}</dt><dd>{value}</dd>" for term, value in rows.items())
    return f"<dl>{listed}</dl>"


def options(strategy: Any) -> str:
    """All options in force, as a table."""
    rows = "".join(
        f'<tr class="{"given" if given else "plain"}"><th scope="row"><code>{isolated(name)}</code></th>'
        f"<td><code>{isolated(literal(value))}</code></td><td>{'given' if given else 'default'}</td></tr>"
        for name, value, given in in_force(strategy)
    )
    return f"<table><tbody>{rows}</tbody></table>" if rows else ""


def document(chunks: Chunks) -> str:
    """The document's own metadata."""
    return definitions(chunks.source.metadata)
