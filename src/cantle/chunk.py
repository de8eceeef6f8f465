"""`Chunk`, a piece of a document that knows where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import DocumentError

if TYPE_CHECKING:
    from .chunks import Chunks

__all__ = ["Chunk", "Cut", "Span", "content_hash"]

Span = tuple[int, int]


class Cut(NamedTuple):
    """Why a chunk ends where it ends: given with `explain=True`.

    `kind` is `separator`, `characters`, `tokens`, `end` or a word of the strategy's own; `level`
    the rank of the boundary (0 is the strongest); `detail` the separator or pattern.
    """

    kind: str
    level: int
    detail: str = ""


_Nothing = type(None)
_FIELDS: dict[str, tuple[type, ...]] = {
    "content": (str,),
    "start": (int,),
    "end": (int,),
    "spans": (list, tuple, _Nothing),
    "overlap": (int, _Nothing),
    "prefix": (str, _Nothing),
    "path": (list, tuple, _Nothing),
    "index": (int, _Nothing),
    "source": (str, _Nothing),
    "key": (str, _Nothing),
    "oversize": (bool, _Nothing),
    "cut": (Mapping, _Nothing),
    "embedding": (list, tuple, _Nothing),
    "metadata": (Mapping, _Nothing),
}
"""What the fields of a chunk's dictionary may be."""


class Chunk:
    """A piece of a document that knows where it comes from. Read-only by convention.

    `content` is the piece; `start` and `end` bound the stretch of the document's text it comes
    from, in code points, end exclusive. `spans` is None when `content` is `text[start:end]`;
    otherwise the stretches whose characters make the content up, in order. `overlap` counts the
    code points at the front that repeat the previous chunk. `prefix` is context put before the
    content for embedding. `path` is the chunk's place in the document (heading titles outermost
    first, keys and indexes for JSON). `oversize` marks a piece above the limit that the caller
    forbade to cut. `cut` says why the chunk ends here, with `explain=True`.
    """

    __slots__ = (
        "_base",
        "_extra",
        "_metadata",
        "_occurrence",
        "_siblings",
        "content",
        "cut",
        "embedding",
        "end",
        "index",
        "overlap",
        "oversize",
        "path",
        "prefix",
        "source",
        "spans",
        "start",
    )

    content: str
    start: int
    end: int
    spans: tuple[Span, ...] | None
    overlap: int
    prefix: str
    path: tuple[str, ...]
    index: int
    source: str
    embedding: list[float] | None
    oversize: bool
    cut: Cut | None

    def __init__(
        self,
        content: str,
        start: int,
        end: int,
        *,
        spans: tuple[Span, ...] | None = None,
        overlap: int = 0,
        prefix: str = "",
        path: tuple[str, ...] = (),
        metadata: Mapping[str, Any] | None = None,
        oversize: bool = False,
        cut: Cut | None = None,
    ) -> None:
        self.content = content
        self.start = start
        self.end = end
        self.spans = spans
        self.overlap = overlap
        self.prefix = prefix
        self.path = path
        self.index = 0
        self.source = ""
        self.embedding = None
        self.oversize = oversize
        self.cut = cut
        self._base: Mapping[str, Any] | None = None
        self._extra = metadata
        self._metadata: dict[str, Any] | None = None
        self._siblings: Chunks | None = None
        self._occurrence = 0

    @property
    def text(self) -> str:
        """What to embed: `prefix + content`. Limits are measured on it."""
        return self.prefix + self.content

    @property
    def exact(self) -> bool:
        """Whether the content is the literal slice `text[start:end]` of the document."""
        return self.spans is None

    @property
    def metadata(self) -> dict[str, Any]:
        """The document's metadata plus what the strategy adds; this chunk's own copy."""
        if self._metadata is None:
            parts = [deepcopy(dict(part)) for part in (self._base, self._extra) if part]
            self._metadata = {name: value for part in parts for name, value in part.items()}
        return self._metadata

    @property
    def own_metadata(self) -> dict[str, Any]:
        """What `metadata` has beside the document's, or instead of it. The values are no copies: for reading only."""
        base = self._base or {}
        mine = dict(self._extra or {}) if self._metadata is None else self._metadata
        return {name: value for name, value in mine.items() if name not in base or not _same(value, base[name])}

    @property
    def hash(self) -> str:
        """The first 16 hexadecimal digits of SHA-256 over `content`."""
        return content_hash(self.content)[:16]

    @property
    def embed_hash(self) -> str:
        """SHA-256 over `text`, in full: when it changes, the chunk must be embedded again."""
        return content_hash(self.text)

    @property
    def id(self) -> str:
        """`source#index-hash`, for people: it changes when chunks are inserted before this one."""
        return f"{self.source}#{self.index}-{self.hash[:8]}"

    @property
    def key(self) -> str:
        """`source:embed_hash:n`, for stores: an insertion elsewhere does not change it.

        `n` counts the chunks before this one in the same result that have the same text.
        """
        return self._key(self.embed_hash)

    def _key(self, embed_hash: str) -> str:
        if self._siblings is not None:
            self._occurrence = self._siblings._occurrence(self.index)
        return f"{self.source}:{embed_hash}:{self._occurrence}"

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary of everything, ready for JSON when the metadata is."""
        embed_hash = self.embed_hash  # hashing is most of the work: each text once
        short = self.hash if self.prefix else embed_hash[:16]
        return {
            "id": f"{self.source}#{self.index}-{short[:8]}",
            "key": self._key(embed_hash),
            "index": self.index,
            "source": self.source,
            "text": self.text,
            "content": self.content,
            "prefix": self.prefix,
            "start": self.start,
            "end": self.end,
            "spans": None if self.spans is None else [list(span) for span in self.spans],
            "overlap": self.overlap,
            "path": list(self.path),
            "hash": short,
            "embed_hash": embed_hash,
            "oversize": self.oversize,
            "cut": None if self.cut is None else self.cut._asdict(),
            "metadata": self.metadata,
        }

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Chunk:
        """The chunk that `to_dict()` made this dictionary of, with the same `id` and `key`.

        `content`, `start` and `end` must be there. What follows from the rest (`id`, `text`, the hashes) is not looked
        at, but for the number at the end of `key`. A list under `embedding`, which `to_dict()` does not write, is the
        vector. Raises `DocumentError` for what is no such dictionary.
        """
        for name, kinds in _FIELDS.items():
            value = row.get(name) if isinstance(row, Mapping) else None
            if not isinstance(value, kinds) or (isinstance(value, bool) and name != "oversize"):
                raise DocumentError(
                    f"a chunk's dictionary must be as Chunk.to_dict() makes it; {name!r} is {value!r} in {row!r:.200}."
                )
        cut, spans, path = row.get("cut"), row.get("spans"), tuple(row.get("path") or ())
        try:
            if not all(isinstance(title, str) for title in path):
                raise ValueError(f"path {path!r:.100} is not all strings")
            chunk = cls(
                row["content"],
                row["start"],
                row["end"],
                spans=None if spans is None else tuple((int(start), int(end)) for start, end in spans),
                overlap=row.get("overlap") or 0,
                prefix=row.get("prefix") or "",
                path=path,
                metadata=deepcopy(dict(row.get("metadata") or {})),
                oversize=row.get("oversize") or False,
                cut=None if cut is None else Cut(cut["kind"], cut["level"], cut.get("detail", "")),
            )
            number = (row.get("key") or "").rpartition(":")[2]
            chunk._occurrence = int(number) if number.isascii() and number.isdigit() else 0
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DocumentError(f"a chunk's dictionary must be as Chunk.to_dict() makes it ({error!r}).") from None
        chunk.index, chunk.source = row.get("index") or 0, row.get("source") or ""
        chunk.embedding = None if row.get("embedding") is None else list(row["embedding"])
        return chunk

    def _state(self) -> tuple[object, ...]:
        return (
            self.content,
            self.start,
            self.end,
            self.spans,
            self.overlap,
            self.prefix,
            self.path,
            self.index,
            self.source,
            None if self.embedding is None else list(self.embedding),
            self.oversize,
            self.cut,
            self.metadata,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chunk) and self._state() == other._state()

    __hash__ = None  # type: ignore[assignment]  # metadata is a dictionary

    def __repr__(self) -> str:
        shown = self.content if len(self.content) <= 60 else self.content[:57] + "..."
        return f"Chunk({self.start}:{self.end} {shown!r})"

    def __getstate__(self) -> dict[str, object]:
        names = [name for name in self.__slots__ if name not in ("_base", "_extra", "_siblings")]
        if self._siblings is not None:
            self._occurrence = self._siblings._occurrence(self.index)
        self.metadata  # noqa: B018  # settle it: the base mapping is not sent along
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, object]) -> None:
        self._base = self._extra = self._siblings = None
        for name, value in state.items():
            setattr(self, name, value)


def _same(a: object, b: object) -> bool:
    try:
        return a is b or bool(a == b)
    except Exception:  # arrays say so for each element, and strangers may raise anything
        return False


def content_hash(text: str) -> str:
    """SHA-256 of a text in UTF-8 (lone surrogates pass), as 64 hexadecimal digits."""
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
