"""What the OpenAPI document says of `/v1/chunk`."""

from __future__ import annotations

from typing import Any

__all__ = ["FILE", "OPENAPI", "RESPONSES"]

_STRATEGY = {
    "type": "string",
    "description": "How to cut: a name that GET /v1/strategies lists. Default: that of the kind.",
    "examples": ["recursive"],
}
_KIND = {
    "type": "string",
    "description": "What the text is: text, markdown, html, json, latex or pdf (pages separated by form feeds). "
    "Default: text; for a file what its name says.",
    "examples": ["markdown"],
}

_COMMON: dict[str, Any] = {
    "kind": _KIND,
    "strategy": _STRATEGY,
    "options": {
        "type": "object",
        "description": "Options of the strategy, by their names in camelCase or snake_case: GET /v1/strategies/{name} "
        "has the schema.",
        "examples": [{"maxSize": 512, "overlap": 64, "lengthFunction": "cl100k_base"}],
    },
    "extract": {
        "type": "object",
        "description": "Metadata to extract for each chunk without a model: title, summary, keywords. The value is "
        "true or an object of options.",
        "examples": [{"keywords": {"keywords": 5}}],
    },
    "metadata": {"type": "object", "description": "Metadata of the document, which every chunk has too."},
    "source": {"type": "string", "description": "The name of the document: ids of chunks begin with it."},
    "relations": {
        "type": "boolean",
        "default": False,
        "description": "Tell the parent, the neighbours, the children and the section of every chunk too.",
    },
    "returnText": {
        "type": "boolean",
        "default": False,
        "description": "Give the text back, to which the positions refer: good to have for files.",
    },
    "returnSizes": {
        "type": "boolean",
        "default": False,
        "description": "Tell the size of every chunk in the unit that the strategy measures by, and that unit.",
    },
    "stream": {"type": "boolean", "default": False, "description": "Answer in NDJSON."},
}

_JSON = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {"text": {"type": "string", "description": "The document."}, **_COMMON},
}

_OF_FILES: dict[str, Any] = {
    "file": {"type": "string", "format": "binary", "description": "The document, with its name."},
    "encoding": {"type": "string", "description": "Its encoding. Default: found out.", "examples": ["cp1252"]},
    "frontMatter": {
        "type": "string",
        "enum": ["read", "keep"],
        "default": "read",
        "description": "YAML front matter goes into the metadata and into no chunk; keep leaves it in the text too.",
    },
}

_FORM = {
    "type": "object",
    "required": ["file"],
    "additionalProperties": False,
    "properties": {**_OF_FILES, **_COMMON},
}

_TEXT = "# Tides\n\nHigh water comes twice a day.\n\n## Springs\n\nAround new and full Moon the range is largest.\n"

OPENAPI: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": _JSON,
                "examples": {
                    "text": {"summary": "The defaults of the kind", "value": {"text": _TEXT, "kind": "markdown"}},
                    "tokens": {
                        "summary": "At most 512 tokens",
                        "value": {
                            "text": _TEXT,
                            "strategy": "recursive",
                            "options": {"maxSize": 512, "overlap": 64, "lengthFunction": "cl100k_base"},
                            "source": "tides.md",
                            "metadata": {"lang": "en"},
                        },
                    },
                },
            },
            "multipart/form-data": {
                "schema": _FORM,
                # Objects go as JSON in a part of their own.
                "encoding": {name: {"contentType": "application/json"} for name in ("options", "extract", "metadata")},
            },
        },
    }
}

_FILED = {
    "source": {
        "type": "string",
        "maxLength": 1000,
        "description": "The name of the document: the same name again brings it up to date. Default: the file's.",
    },
    "metadata": {
        "type": "object",
        "description": "What filters and roles look at. Goes before front matter of the file, which is metadata too.",
    },
    **{name: _COMMON[name] for name in ("kind", "strategy", "options")},
}

FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "additionalProperties": False,
                    "properties": {**_OF_FILES, **_FILED},
                },
                "encoding": {name: {"contentType": "application/json"} for name in ("options", "metadata")},
            }
        },
    }
}
"""What documents of datasets are sent as besides JSON."""

_POSITION = {"type": "integer", "minimum": 0}

_CHUNK = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "source#index-hash, for people."},
        "key": {"type": "string", "description": "source:embedHash:n, for stores: other edits do not change it."},
        "index": _POSITION,
        "source": {"type": "string"},
        "text": {"type": "string", "description": "What to embed: prefix + content."},
        "content": {"type": "string"},
        "prefix": {"type": "string"},
        "start": {**_POSITION, "description": "In code points."},
        "end": {**_POSITION, "description": "In code points, exclusive."},
        "spans": {
            "type": ["array", "null"],
            "items": {"type": "array", "items": _POSITION},
            "description": "The stretches of a chunk that is no literal slice.",
        },
        "overlap": _POSITION,
        "path": {"type": "array", "items": {"type": "string"}},
        "hash": {"type": "string"},
        "embedHash": {"type": "string"},
        "oversize": {"type": "boolean"},
        "cut": {"type": ["object", "null"]},
        "metadata": {"type": "object"},
        "size": {"type": "number", "description": "With returnSizes: of the text, prefix included."},
        "lines": {
            "type": "array",
            "items": {"type": "integer"},
            "description": "First line and column, last line and column, from 1.",
        },
    },
}

_DROPPED = {
    "type": "array",
    "description": "What is in no chunk by intent.",
    "items": {
        "type": "object",
        "properties": {"start": _POSITION, "end": _POSITION, "reason": {"type": "string"}},
    },
}

_ANSWER = {
    "type": "object",
    "properties": {
        "source": {"type": "string"},
        "kind": {"type": "string"},
        "strategy": {"type": "string"},
        "configHash": {"type": "string", "description": "Stands for strategy, options and version."},
        "metadata": {"type": "object"},
        "body": {**_POSITION, "description": "Where the text begins behind front matter."},
        "text": {"type": "string", "description": "With returnText."},
        "unit": {"type": "string", "description": "With returnSizes: characters, tokens (gpt-4o), ..."},
        "chunks": {"type": "array", "items": _CHUNK},
        "dropped": _DROPPED,
        "warnings": {"type": "array", "items": {"type": "string"}},
        "stats": {
            "type": "object",
            "properties": {
                "characters": {"type": "integer"},
                "chunks": {"type": "integer"},
                "milliseconds": {"type": "number"},
            },
        },
    },
}

RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The chunks.",
        "content": {
            "application/json": {"schema": _ANSWER},
            "application/x-ndjson": {
                "schema": {
                    "type": "string",
                    "description": "A line of type document, lines of type chunk, a line of type end or error.",
                }
            },
        },
    },
    415: {"description": "Neither JSON nor a form."},
}
