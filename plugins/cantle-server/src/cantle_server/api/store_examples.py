"""Examples of what routes of the store answer, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

__all__ = ["EXAMPLES"]

_TIMES = {"created": "2026-01-05T09:00:00+00:00", "updated": "2026-01-05T09:00:00+00:00"}
_AVATAR = "7f2102d5-0f40-587f-980f-e10be454a622"
_DATASET = "5ffb7f03-2416-531a-bc77-39d46a9f00a0"
_DOCUMENT = "23c1554f-4518-55ef-8990-b05eebafb2fd"
_CHUNK = "0a0761fa-dc20-551f-9dd5-fb1b1ed721c7"
_TEXT = "# Leave\n\nEmployees have 30 days of leave a year."
_HASH = "4b7f2b0c9f5f3a8d6e1c2b7a9d8e0f1a2b3c4d5e6f708192a3b4c5d6e7f80912"

AVATAR: dict[str, Any] = {"id": _AVATAR, "name": "main", "main": True, **_TIMES}

DATASET: dict[str, Any] = {
    "id": _DATASET,
    "avatarId": _AVATAR,
    "name": "handbook",
    "embedder": "openai:text-embedding-3-large",
    "dimension": 3072,
    "documents": 1,
    "chunks": 1,
    **_TIMES,
}

DOCUMENT: dict[str, Any] = {
    "id": _DOCUMENT,
    "datasetId": _DATASET,
    "source": "leave.md",
    "metadata": {"dept": "hr"},
    "origin": "",
    "configHash": "49bcc6c1402ccff8",
    "chunks": 1,
    **_TIMES,
}

SYNCED: dict[str, Any] = {
    "datasetId": _DATASET,
    "source": "leave.md",
    "new": 1,
    "changed": 0,
    "kept": 0,
    "gone": 0,
    "embedded": 1,
    "chunkIds": [_CHUNK],
}

DELETED: dict[str, Any] = {"documents": 1, "chunks": 1}

CHUNK: dict[str, Any] = {
    "id": _CHUNK,
    "key": f"leave.md:{_HASH}:0",
    "datasetId": _DATASET,
    "documentId": _DOCUMENT,
    "source": "leave.md",
    "index": 0,
    "text": _TEXT,
    "content": _TEXT,
    "prefix": "",
    "start": 0,
    "end": len(_TEXT),
    "spans": None,
    "overlap": 0,
    "path": ["Leave"],
    "hash": _HASH[:16],
    "embedHash": _HASH,
    "configHash": "49bcc6c1402ccff8",
    "metadata": {"dept": "hr"},
    "hasEmbedding": True,
    **_TIMES,
}

HIT: dict[str, Any] = {"score": 0.0328, "ranks": {"vector": 1, "text": 1}, "chunk": CHUNK}

ROLES: dict[str, Any] = {"intern": [{"dept": ["hr", "product"]}], "auditor": ["*"]}

EXAMPLES: dict[str, dict[str, Any]] = {
    "AvatarShown": AVATAR,
    "AvatarsShown": {"avatars": [AVATAR]},
    "ChunkShown": CHUNK,
    "ChunksShown": {"chunks": [CHUNK], "nextCursor": None},
    "DatasetShown": DATASET,
    "DatasetsShown": {"datasets": [DATASET]},
    "DeletedShown": DELETED,
    "DocumentShown": DOCUMENT,
    "DocumentsShown": {"documents": [DOCUMENT], "nextCursor": None},
    "FoundShown": {"hits": [HIT]},
    "HitShown": HIT,
    "RolesShown": {"roles": ROLES},
    "SyncedShown": SYNCED,
}
"""By the names of the models."""
